/** Early access features as people keep them. */
import type { EarlyAccessFields, FEATURE_STAGES } from '../../contract/resources/early-access.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type JsonObject, stringifyJson } from '../../lib/json.ts'

type Db = Sql | TransactionSql

export interface SavedEarlyAccess {
  readonly id: string
  readonly project_id: number
  readonly feature_flag_id: number | null
  readonly name: string
  readonly description: string
  readonly stage: (typeof FEATURE_STAGES)[number]
  readonly documentation_url: string
  readonly payload: JsonObject
  readonly created_at: Date
}

export async function listEarlyAccess(
  sql: Db,
  project: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ count: number; features: readonly SavedEarlyAccess[] }> {
  const features = await sql<SavedEarlyAccess[]>`
    SELECT * FROM early_access_features WHERE project_id = ${project}
    ORDER BY created_at DESC, id LIMIT ${limit} OFFSET ${offset}`
  const [total] = await sql<{ count: number }[]>`
    SELECT count(*) AS count FROM early_access_features WHERE project_id = ${project}`
  return { count: total?.count ?? 0, features: [...features] }
}

export async function findEarlyAccess(sql: Db, project: number, id: string): Promise<SavedEarlyAccess | undefined> {
  const [found] = await sql<SavedEarlyAccess[]>`
    SELECT * FROM early_access_features WHERE project_id = ${project} AND id::text = ${id.toLowerCase()}`
  return found
}

/** The one feature of a flag. */
export async function earlyAccessOfFlag(sql: Db, flagId: number): Promise<SavedEarlyAccess | undefined> {
  const [found] = await sql<SavedEarlyAccess[]>`
    SELECT * FROM early_access_features WHERE feature_flag_id = ${flagId} LIMIT 1`
  return found
}

export async function createEarlyAccess(
  sql: Db,
  { project, userId, flagId }: { readonly project: number; readonly userId: number; readonly flagId: number },
  fields: EarlyAccessFields & { readonly name: string },
): Promise<SavedEarlyAccess> {
  const [created] = await sql<SavedEarlyAccess[]>`
    INSERT INTO early_access_features (project_id, feature_flag_id, name, description, stage, documentation_url, payload, created_by)
    VALUES (${project}, ${flagId}, ${fields.name}, ${fields.description ?? ''}, ${fields.stage ?? 'draft'},
      ${fields.documentation_url ?? ''}, ${stringifyJson(fields.payload ?? {})}::text::jsonb, ${userId}) RETURNING *`
  return created as SavedEarlyAccess
}

export async function updateEarlyAccess(
  sql: Db,
  before: SavedEarlyAccess,
  fields: EarlyAccessFields,
): Promise<SavedEarlyAccess> {
  const [written] = await sql<SavedEarlyAccess[]>`
    UPDATE early_access_features SET name = ${fields.name ?? before.name},
      description = ${fields.description === undefined ? before.description : (fields.description ?? '')},
      stage = ${fields.stage ?? before.stage},
      documentation_url = ${fields.documentation_url === undefined ? before.documentation_url : (fields.documentation_url ?? '')},
      payload = ${stringifyJson(fields.payload === undefined ? before.payload : (fields.payload ?? {}))}::text::jsonb,
      updated_at = now()
    WHERE id = ${before.id} RETURNING *`
  return written as SavedEarlyAccess
}

export async function removeEarlyAccess(sql: Db, { id }: SavedEarlyAccess): Promise<void> {
  await sql`DELETE FROM early_access_features WHERE id = ${id}`
}
