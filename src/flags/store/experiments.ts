/** Experiments as people keep them. */
import type { ExperimentFields, ExperimentListQuery } from '../../contract/resources/experiment.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'

export interface SavedExperiment {
  readonly id: number
  readonly project_id: number
  readonly feature_flag_id: number
  readonly name: string
  readonly description: string
  readonly type: string
  readonly start_date: Date | null
  readonly end_date: Date | null
  readonly parameters: JsonObject
  readonly metrics: Json
  readonly metrics_secondary: Json
  readonly exposure_criteria: JsonObject
  readonly stats_config: JsonObject
  readonly conclusion: string | null
  readonly conclusion_comment: string | null
  readonly archived: boolean
  readonly deleted: boolean
  readonly created_by: number | null
  readonly created_at: Date
  readonly updated_at: Date
}

export async function findExperiment(sql: Sql, project: number, id: string): Promise<SavedExperiment | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined
  const [found] = await sql<SavedExperiment[]>`
    SELECT * FROM experiments WHERE project_id = ${project} AND id = ${Number(id)}`
  return found
}

export async function listExperiments(
  sql: Sql,
  project: number,
  { search, archived = false, status = 'all', limit, offset }: ExperimentListQuery,
): Promise<{ count: number; experiments: readonly SavedExperiment[] }> {
  const pattern = `%${(search ?? '').replaceAll('\0', '').replace(/[\\%_]/g, '\\$&')}%`
  const where = sql`project_id = ${project} AND NOT deleted AND archived = ${archived} AND name ILIKE ${pattern}
    AND (${status} = 'all' OR (${status} = 'draft' AND start_date IS NULL)
      OR (${status} = 'running' AND start_date IS NOT NULL AND end_date IS NULL)
      OR (${status} = 'complete' AND end_date IS NOT NULL))`
  const experiments = await sql<SavedExperiment[]>`
    SELECT * FROM experiments WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM experiments WHERE ${where}`
  return { count: total?.count ?? 0, experiments: [...experiments] }
}

export async function createExperiment(
  sql: Sql | TransactionSql,
  { project, userId, flagId }: { project: number; userId: number; flagId: number },
  fields: ExperimentFields & { readonly name: string },
): Promise<SavedExperiment> {
  const [created] = await sql<SavedExperiment[]>`
    INSERT INTO experiments (project_id, feature_flag_id, name, created_by)
    VALUES (${project}, ${flagId}, ${fields.name}, ${userId}) RETURNING *`
  return updateExperiment(sql, created as SavedExperiment, fields)
}

export async function updateExperiment(
  sql: Sql | TransactionSql,
  before: SavedExperiment,
  fields: ExperimentFields,
): Promise<SavedExperiment> {
  const kept = <T>(sent: T | undefined, was: T): T => (sent === undefined ? was : sent)
  const document = (sent: Json | null | undefined, was: Json, none: Json) =>
    sql`${stringifyJson(sent === undefined ? was : (sent ?? none))}::text::jsonb`
  const [written] = await sql<SavedExperiment[]>`
    UPDATE experiments SET name = ${fields.name ?? before.name}, description = ${kept(fields.description, before.description) ?? ''},
      type = ${fields.type ?? before.type}, start_date = ${kept(fields.start_date, before.start_date)},
      end_date = ${kept(fields.end_date, before.end_date)},
      parameters = ${document(fields.parameters, before.parameters, {})},
      metrics = ${document(fields.metrics, before.metrics, [])},
      metrics_secondary = ${document(fields.metrics_secondary, before.metrics_secondary, [])},
      exposure_criteria = ${document(fields.exposure_criteria, before.exposure_criteria, {})},
      stats_config = ${document(fields.stats_config, before.stats_config, {})},
      conclusion = ${kept(fields.conclusion, before.conclusion)},
      conclusion_comment = ${kept(fields.conclusion_comment, before.conclusion_comment)},
      archived = ${fields.archived ?? before.archived}, deleted = ${fields.deleted ?? before.deleted}, updated_at = now()
    WHERE id = ${before.id} RETURNING *`
  return written as SavedExperiment
}
