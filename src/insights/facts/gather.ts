/** Reads what a question needs to be planned, and has the engine look at the regular expressions in it. */
import { type DateRangeInput, NO_FILTERS, type PropertyGroup } from '../../contract/queries/index.ts'
import { sql, uint } from '../../engines/clickhouse-sql.ts'
import type { Instant } from '../../lib/zone.ts'
import { savedTablesIn } from '../hogql/system-tables.ts'
import { type Pattern, patternsIn } from '../plan/patterns.ts'
import { refuseOversized } from '../plan/question-size.ts'
import { testAccountFilters } from '../plan/test-accounts.ts'
import type { StatementRunner } from '../run/statement-runner.ts'
import { refuseInvalid } from './check-patterns.ts'
import type { InsightContext } from './context.ts'
import type { Facts } from './facts.ts'

/** A query that is planned, be it asked by itself or inside another. */
export interface PlannedQuery {
  readonly dateRange: DateRangeInput
  readonly filterTestAccounts: boolean
  readonly properties: PropertyGroup
}

/** `patterns` are regular expressions that stand outside filters. */
export async function gatherFacts(
  queries: readonly PlannedQuery[],
  context: InsightContext,
  runner: StatementRunner,
  patterns: readonly Pattern[] = [],
): Promise<Facts> {
  const { project, now, hasOverrides, definitions } = context
  const earliestEvent = queries.some(({ dateRange }) => dateRange.date_from === 'all')
    ? await earliestEventOf(project.id, runner)
    : undefined
  const excluded = queries.some(({ filterTestAccounts }) => filterTestAccounts)
    ? testAccountFilters(context)
    : NO_FILTERS
  for (const query of queries) {
    refuseOversized(query)
    await refuseInvalid(patternsIn(query, []), runner)
  }
  refuseOversized(excluded)
  await refuseInvalid(patternsIn(excluded, ['test_account_filters']), runner)
  await refuseInvalid(patterns, runner)
  const propertyType = await propertyTypesFor([queries, excluded], context, runner)
  return { project, now, hasOverrides, definitions, propertyType, earliestEvent }
}

/** Of SQL, which asks about whatever it names: what is known of properties and groups is always looked up. */
export async function gatherSqlFacts(
  { filters, query }: { readonly filters: PropertyGroup; readonly query: string },
  context: InsightContext,
  runner: StatementRunner,
): Promise<Facts> {
  const { project, now, hasOverrides, definitions } = context
  refuseOversized(filters)
  await refuseInvalid(patternsIn(filters, ['filters', 'properties']), runner)
  const saved = savedTablesIn(query)
  const [propertyType, groupTypes, system] = await Promise.all([
    context.propertyTypes?.(),
    context.groupTypes?.(),
    saved.length > 0 ? context.savedRows?.(saved) : undefined,
  ])
  return { project, now, hasOverrides, definitions, propertyType: propertyType ?? (() => null), groupTypes, system }
}

async function earliestEventOf(project: number, runner: StatementRunner): Promise<Instant | undefined> {
  const [row] = await runner.ask<{ first: number; events: number }>(
    sql`SELECT toUnixTimestamp64Milli(min(timestamp)) AS first, count() AS events FROM events WHERE project_id = ${uint(project)}`,
  )
  return row === undefined || row.events === 0 ? undefined : Math.max(0, row.first)
}

/** Looked up only when the question may hold an expression. */
async function propertyTypesFor(
  asked: unknown,
  context: InsightContext,
  runner: StatementRunner,
): Promise<Facts['propertyType']> {
  if (!/hogql/i.test(JSON.stringify(asked))) return () => null
  runner.admitExpressions()
  return (await context.propertyTypes?.()) ?? (() => null)
}
