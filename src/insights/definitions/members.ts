/** Who is in a cohort right now. */
import { type Fragment, join, sql, uuid } from '../../engines/clickhouse-sql.ts'
import { checkPatterns } from '../facts/check-patterns.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { READING, StatementRunner } from '../run/statement-runner.ts'
import type { Cohort } from './cohort.ts'
import { NO_DEFINITIONS } from './definitions.ts'
import { namedIn } from './named.ts'

/** However an engine is configured, this ends. */
const MOST_SECONDS = 60

const membersIn = (context: InsightContext, cohort: string | number): Fragment =>
  namedIn(context).members(String(cohort), ['cohort'])

export async function cohortSize(
  context: InsightContext,
  cohort: number,
  { signal }: RunOptions = {},
): Promise<number> {
  const [row] = await new StatementRunner(context.clickhouse, signal).ask<{ size: number }>(
    sql`SELECT count() AS size FROM (${membersIn(context, cohort)})`,
  )
  return Number(row?.size ?? 0)
}

/** Their uuids, all of them. */
export async function cohortMembers(
  context: InsightContext,
  cohort: string | number,
  { signal }: RunOptions = {},
): Promise<string[]> {
  const rows = await new StatementRunner(context.clickhouse, signal).ask<{ id: string }>(
    sql`SELECT toString(id) AS id FROM (${membersIn(context, cohort)})`,
  )
  return rows.map(({ id }) => id)
}

/** What stands for a person in `cohortMemberKeys`: the first half of its uuid, which is random. */
export const memberKeyOf = (personUuid: string): bigint => BigInt(`0x${personUuid.replaceAll('-', '').slice(0, 16)}`)

/** All members in 8 bytes each, sorted; refuses a cohort with more. */
export async function cohortMemberKeys(
  context: InsightContext,
  cohort: string | number,
  most: number,
): Promise<BigUint64Array> {
  const rows = context.clickhouse.stream<{ key: string }>(
    sql`SELECT DISTINCT toString(bitShiftRight(toUInt128(id), 64)) AS key FROM (${membersIn(context, cohort)})`,
    { settings: { ...READING, max_execution_time: MOST_SECONDS } },
  )
  let keys = new BigUint64Array(1024)
  let count = 0
  for await (const { key } of rows) {
    if (count === most) throw new Error(`the cohort has more than ${most} members`)
    if (count === keys.length) {
      const larger = new BigUint64Array(keys.length * 2)
      larger.set(keys)
      keys = larger
    }
    keys[count++] = BigInt(key)
  }
  return keys.slice(0, count).sort()
}

/** The cohorts a person is in. */
export async function cohortsOfPerson(
  context: InsightContext,
  personUuid: string,
  { signal }: RunOptions = {},
): Promise<number[]> {
  const runner = new StatementRunner(context.clickhouse, signal)
  const found: number[] = []
  for (const { id } of (context.definitions ?? NO_DEFINITIONS).cohorts.values()) {
    const [row] = await runner.ask<{ isIn: number }>(
      sql`SELECT toUInt8(${uuid(personUuid)} IN (${membersIn(context, id)})) AS isIn`,
    )
    if (Number(row?.isIn) === 1) found.push(id)
  }
  return found
}

/** Which of these cohorts a person is in; one that is not there is missing from the answer. */
export async function membershipsOf(
  context: InsightContext,
  personUuid: string,
  cohorts: readonly number[],
  { signal }: RunOptions = {},
): Promise<ReadonlyMap<number, boolean>> {
  const known = (context.definitions ?? NO_DEFINITIONS).cohorts
  const wanted = cohorts.filter((id) => known.has(id))
  if (wanted.length === 0) return new Map()
  const each = wanted.map((id) => sql`toUInt8(${uuid(personUuid)} IN (${membersIn(context, id)}))`)
  const [row] = await new StatementRunner(context.clickhouse, signal).ask<{ isIn: number[] }>(
    sql`SELECT [${join(each, ', ')}] AS isIn`,
  )
  return new Map(wanted.map((id, at) => [id, Number(row?.isIn[at]) === 1]))
}

/** The same project as if the cohort were already saved so; refuses what could not be asked of it. */
export async function tryCohort(context: InsightContext, cohort: Cohort, options: RunOptions = {}): Promise<number> {
  await refuseBadPatterns(context, cohort.criteria, options)
  const { actions, cohorts } = context.definitions ?? NO_DEFINITIONS
  const definitions = { actions, cohorts: new Map(cohorts).set(cohort.id, cohort) }
  return cohortSize({ ...context, definitions }, cohort.id, options)
}

/**
 * Patterns are looked at when a definition is saved, so that no question fails for them. `path` is where they were
 * sent.
 */
export async function refuseBadPatterns(
  { clickhouse }: Pick<InsightContext, 'clickhouse'>,
  definition: unknown,
  { signal, path = null }: RunOptions & { readonly path?: readonly (string | number)[] | null } = {},
): Promise<void> {
  await checkPatterns(definition, new StatementRunner(clickhouse, signal), path)
}
