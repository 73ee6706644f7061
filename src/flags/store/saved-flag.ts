/** Flags as people keep them: rows of `feature_flags`, with when they were last asked for. */
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { stringifyJson } from '../../lib/json.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { dependentsOf } from '../check/named.ts'
import type { FlagState } from '../check/state.ts'

export type { FlagState } from '../check/state.ts'

type Db = Sql | TransactionSql

export interface SavedFlag extends FlagState {
  readonly id: number
  readonly project_id: number
  readonly version: number
  readonly creation_context: string
  readonly created_by: number | null
  readonly last_modified_by: number | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_called_at: Date | null
}

export const STATE_FIELDS = [
  'key',
  'name',
  'filters',
  'active',
  'archived',
  'deleted',
  'ensure_experience_continuity',
  'evaluation_runtime',
  'bucketing_identifier',
  'evaluation_contexts',
  'tags',
  'is_remote_configuration',
  'has_encrypted_payloads',
] as const satisfies readonly (keyof FlagState)[]

export const stateOf = (flag: FlagState): FlagState => ({
  key: flag.key,
  name: flag.name,
  filters: flag.filters,
  active: flag.active,
  archived: flag.archived,
  deleted: flag.deleted,
  ensure_experience_continuity: flag.ensure_experience_continuity,
  evaluation_runtime: flag.evaluation_runtime,
  bucketing_identifier: flag.bucketing_identifier,
  evaluation_contexts: flag.evaluation_contexts,
  tags: flag.tags,
  is_remote_configuration: flag.is_remote_configuration,
  has_encrypted_payloads: flag.has_encrypted_payloads,
})

/** By id, or by key; a deleted one by its id only. */
export async function findFlag(sql: Db, project: number, idOrKey: string): Promise<SavedFlag | undefined> {
  const id = /^[1-9]\d{0,8}$/.test(idOrKey) ? Number(idOrKey) : 0
  const [found] = await sql<SavedFlag[]>`
    SELECT f.*, u.last_called_at FROM feature_flags f LEFT JOIN feature_flag_usage u ON u.flag_id = f.id
    WHERE f.project_id = ${project} AND (f.id = ${id} OR (f.key = ${withoutNul(idOrKey)} AND NOT f.deleted))
    ORDER BY f.id = ${id} DESC LIMIT 1`
  return found
}

/** Postgres stores no NUL. */

export async function flagsById(sql: Db, project: number, ids: readonly number[]): Promise<SavedFlag[]> {
  return [
    ...(await sql<SavedFlag[]>`
      SELECT f.*, u.last_called_at FROM feature_flags f LEFT JOIN feature_flag_usage u ON u.flag_id = f.id
      WHERE f.project_id = ${project} AND f.id = ANY(${[...ids]}::int[]) AND NOT f.deleted`),
  ]
}

export async function insertFlag(
  tx: TransactionSql,
  project: number,
  userId: number | null,
  state: FlagState,
  creationContext: string,
): Promise<SavedFlag> {
  const [created] = await tx<Omit<SavedFlag, 'last_called_at'>[]>`
    INSERT INTO feature_flags (project_id, key, deleted, creation_context, created_by, last_modified_by)
    VALUES (${project}, ${state.key}, ${state.deleted}, ${creationContext}, ${userId}, ${userId}) RETURNING *`
  const { id } = created as SavedFlag
  return writeState(tx, { id, version: 0, last_called_at: null }, userId, state)
}

/** The next version of a flag, kept beside those before it. */
export async function writeState(
  tx: TransactionSql,
  before: Pick<SavedFlag, 'id' | 'version' | 'last_called_at'>,
  userId: number | null,
  state: FlagState,
): Promise<SavedFlag> {
  const [written] = await tx<Omit<SavedFlag, 'last_called_at'>[]>`
    UPDATE feature_flags SET key = ${state.key}, name = ${state.name}, filters = ${stringifyJson(state.filters)}::text::jsonb,
      active = ${state.active}, archived = ${state.archived}, deleted = ${state.deleted},
      ensure_experience_continuity = ${state.ensure_experience_continuity},
      evaluation_runtime = ${state.evaluation_runtime}, bucketing_identifier = ${state.bucketing_identifier},
      evaluation_contexts = ${[...state.evaluation_contexts]}::text[], tags = ${[...state.tags]}::text[],
      is_remote_configuration = ${state.is_remote_configuration},
      has_encrypted_payloads = ${state.has_encrypted_payloads},
      version = ${before.version + 1}, last_modified_by = ${userId}, updated_at = now()
    WHERE id = ${before.id} RETURNING *`
  const flag = { ...(written as SavedFlag), last_called_at: before.last_called_at }
  await tx`
    INSERT INTO feature_flag_versions (flag_id, version, flag, modified_by)
    VALUES (${flag.id}, ${flag.version}, ${stringifyJson(stateOf(flag))}::text::jsonb, ${userId})`
  return flag
}

export interface FlagVersion {
  readonly version: number
  readonly flag: FlagState
  readonly modified_by: number | null
  readonly created_at: Date
}

export async function findVersion(sql: Db, flagId: number, version: number): Promise<FlagVersion | undefined> {
  const [found] = await sql<FlagVersion[]>`
    SELECT version, flag, modified_by, created_at FROM feature_flag_versions
    WHERE flag_id = ${flagId} AND version = ${version}`
  return found
}

/** The flags whose conditions name another one. */
export async function flagsThatDependOn(sql: Db, project: number, id: number): Promise<SavedFlag[]> {
  const found = await sql<SavedFlag[]>`
    SELECT f.*, NULL AS last_called_at FROM feature_flags f
    WHERE f.project_id = ${project} AND NOT f.deleted AND f.filters @? '$.*[*].properties[*] ? (@.type == "flag")'
    ORDER BY f.key`
  return dependentsOf(id, found)
}
