/**
 * The one road by which a flag is made or changed, whoever asks for it: lock -> read -> next state -> check -> write ->
 * note who did it. The lock is of the project, because what flags name of each other is checked across them.
 */
import { type Change, noteActivities } from '../../accounts/index.ts'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'
import type { Json } from '../../lib/json.ts'
import { checkFilters } from '../check/filters.ts'
import { checkMayEnd, checkNamed, cohortsOf, dependenciesOf, type KnownFlag, type OfFlag } from '../check/named.ts'
import { READABLE } from '../check/readable.ts'
import { type FlagFields, nextState, startState } from '../check/state.ts'
import {
  type FlagState,
  findFlag,
  findVersion,
  insertFlag,
  type SavedFlag,
  STATE_FIELDS,
  writeState,
} from './saved-flag.ts'

export interface Writer {
  readonly projectId: number
  /** Null: nobody that is still there. */
  readonly userId: number | null
}

export const createFlag = (
  sql: Sql,
  writer: Writer,
  fields: FlagFields,
  creationContext?: string,
): Promise<SavedFlag> => sql.begin((tx) => createFlagIn(tx, writer, fields, creationContext))

/** The same in a transaction that does more. */
export async function createFlagIn(
  tx: TransactionSql,
  { projectId, userId }: Writer,
  fields: FlagFields,
  creationContext = 'feature_flags',
): Promise<SavedFlag> {
  await lockFlags(tx, projectId)
  const state = startState(fields)
  await checkState(tx, projectId, null, state, { mayBeEmpty: false })
  const created = await insertFlag(tx, projectId, userId, state, creationContext)
  await note(tx, userId, null, created)
  return created
}

/** What is to be changed; a function is given the flag as it is. Null: nothing. */
type Changing = FlagFields | ((flag: SavedFlag) => FlagFields | null)

interface ChangeOptions {
  /** The version that the client read: what others changed since then is not overwritten. */
  readonly readVersion?: number | undefined
}

/** Undefined when there is no such flag. */
export const changeFlag = (
  sql: Sql,
  writer: Writer,
  idOrKey: string,
  changing: Changing,
  options?: ChangeOptions,
): Promise<SavedFlag | undefined> => sql.begin((tx) => changeFlagIn(tx, writer, idOrKey, changing, options))

/** The same in a transaction that does more. */
export async function changeFlagIn(
  tx: TransactionSql,
  { projectId, userId }: Writer,
  idOrKey: string,
  changing: Changing,
  { readVersion }: ChangeOptions = {},
): Promise<SavedFlag | undefined> {
  await lockFlags(tx, projectId)
  const before = await findFlag(tx, projectId, idOrKey)
  if (!before) return undefined
  const fields = typeof changing === 'function' ? changing(before) : changing
  if (fields === null) return before
  if (readVersion !== undefined && readVersion < before.version) await refuseConflict(tx, before, fields, readVersion)
  const state = nextState(before, fields)
  await checkState(tx, projectId, before, state, { mayBeEmpty: true })
  const after = await writeState(tx, before, userId, state)
  await note(tx, userId, before, after)
  return after
}

/** Refuses what could not be saved, without saving anything. */
export async function tryChange(sql: Sql, flag: SavedFlag, fields: FlagFields): Promise<void> {
  const state = nextState(flag, fields)
  await sql.begin((tx) => checkState(tx, flag.project_id, flag, state, { mayBeEmpty: true }))
}

/** Refuses a condition that could not be part of a flag. */
export async function checkCondition(
  sql: Sql,
  project: number,
  condition: Json,
  groupTypeIndex: number | null,
): Promise<void> {
  const filters = { groups: [condition], aggregation_group_type_index: groupTypeIndex }
  try {
    await sql.begin((tx) => checkDocument(tx, project, filters, { id: null, active: false }, { mayBeEmpty: false }))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    const inCondition = error.path[1] === 'groups'
    const path = inCondition ? ['condition', ...error.path.slice(3)] : ['group_type_index']
    throw new InvalidInput(error.message, path, error.reason)
  }
}

const lockFlags = (tx: TransactionSql, project: number) =>
  tx`SELECT pg_advisory_xact_lock(hashtext('feature flags'), ${project})`

async function checkState(
  tx: TransactionSql,
  project: number,
  before: SavedFlag | null,
  state: FlagState,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): Promise<void> {
  await refuseTaken(tx, project, before, state)
  const known = await flagsThatMatter(tx, project, state.filters)
  if (before !== null && state.deleted && !before.deleted) checkMayEnd({ ...before }, known, 'deleted', ['deleted'])
  if (before !== null && !state.active && before.active) checkMayEnd({ ...before }, known, 'disabled', ['active'])
  if (state.active && state.archived && before !== null && !before.active)
    throw new InvalidInput('An archived flag cannot be enabled: unarchive it first.', ['active'])
  // What is only taken away or brought back says nothing new; what it says may name what is not there any more.
  if (state.deleted) return
  await checkDocument(tx, project, state.filters, { id: before?.id ?? null, active: state.active }, { mayBeEmpty })
}

async function checkDocument(
  tx: TransactionSql,
  project: number,
  filters: Json,
  flag: OfFlag,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): Promise<void> {
  const types = await tx<{ index: number }[]>`
    SELECT group_type_index AS index FROM group_types WHERE project_id = ${project} ORDER BY 1`
  checkFilters(filters, { ...READABLE, mayBeEmpty, groupTypes: types.map(({ index }) => index) })
  const cohorts = await tx<{ id: number }[]>`
    SELECT id FROM cohorts WHERE project_id = ${project} AND NOT deleted AND id = ANY(${cohortsOf(filters)}::int[])`
  const known = await flagsThatMatter(tx, project, filters)
  checkNamed(filters, flag, { flags: known, cohorts: new Set(cohorts.map(({ id }) => id)) })
}

async function refuseTaken(
  tx: TransactionSql,
  project: number,
  before: SavedFlag | null,
  { key, deleted }: FlagState,
): Promise<void> {
  if (deleted) return
  const [taken] = await tx<{ id: number }[]>`
    SELECT id FROM feature_flags WHERE project_id = ${project} AND key = ${key} AND NOT deleted`
  if (taken && taken.id !== before?.id)
    throw new InvalidInput(`There is already a feature flag with the key "${key}".`, ['key'], 'unique')
}

/** The flags that a document names, and all that depend on others. */
async function flagsThatMatter(tx: TransactionSql, project: number, filters: Json): Promise<KnownFlag[]> {
  return [
    ...(await tx<KnownFlag[]>`
      SELECT id, key, active, filters FROM feature_flags
      WHERE project_id = ${project} AND NOT deleted AND (id = ANY(${dependenciesOf(filters)}::int[])
        OR filters @? '$.*[*].properties[*] ? (@.type == "flag")')`),
  ]
}

/**
 * Somebody changes a flag that was changed since they read it. Where the changes are of different fields both stay;
 * where they are of the same, the second is refused.
 */
async function refuseConflict(
  tx: TransactionSql,
  current: SavedFlag,
  fields: FlagFields,
  readVersion: number,
): Promise<void> {
  const read = (await findVersion(tx, current.id, readVersion))?.flag
  const wanted = nextState(current, fields)
  const clashing = STATE_FIELDS.filter(
    (field) =>
      fields[field] !== undefined &&
      !isSame(wanted[field], current[field]) &&
      (read === undefined || !isSame(read[field], current[field])),
  )
  if (clashing.length === 0) return
  const [by] = await tx<{ email: string }[]>`SELECT email FROM users WHERE id = ${current.last_modified_by}`
  throw new InvalidInput(
    `The flag was changed by ${by?.email ?? 'somebody else'} since version ${readVersion} was read ` +
      `(${clashing.join(', ')}): read it again, and repeat what you changed.`,
    ['version'],
    'conflict',
  )
}

/** Values of jsonb come back with their keys in another order. */
const isSame = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  ) ?? 'undefined'

async function note(
  tx: TransactionSql,
  userId: number | null,
  before: SavedFlag | null,
  after: SavedFlag,
): Promise<void> {
  const changes: Change[] =
    before === null
      ? []
      : STATE_FIELDS.filter((field) => !isSame(before[field], after[field])).map((field) => ({
          type: 'FeatureFlag',
          action: 'changed',
          field,
          before: before[field] as Json,
          after: after[field] as Json,
        }))
  if (before !== null && changes.length === 0) return
  const activity =
    before === null ? 'created' : before.deleted === after.deleted ? 'updated' : after.deleted ? 'deleted' : 'restored'
  const { project_id: project, id: itemId, key: name } = after
  await noteActivities(tx, [{ project, userId, scope: 'FeatureFlag', itemId, activity, name, changes }])
}
