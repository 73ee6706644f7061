import type { InsightContext } from '../../facts/context.ts'
import type { Facts } from '../../facts/facts.ts'
import { gatherSqlFacts } from '../../facts/gather.ts'
import { sqlError } from '../../hogql/error.ts'
import { withPlaces } from '../../hogql/refused-call.ts'
import { type Asked, READING, SMALL_BLOCKS, StatementRunner } from '../../run/statement-runner.ts'
import { type Filling, filtersOf, MOST_ROWS, planSql, type SqlPlan, type SqlRequest } from './plan.ts'
import { sqlStatement } from './statement.ts'

export interface SqlResult {
  readonly columns: readonly string[]
  readonly types: readonly (readonly [name: string, type: string])[]
  readonly results: readonly (readonly unknown[])[]
  /** Only when the query had no LIMIT of its own. */
  readonly page: { readonly hasMore: boolean; readonly limit: number; readonly offset: number } | null
  readonly elapsedMs: number
  readonly asked: Asked
}

/** Nothing a query says changes these: reading only, and so much time, memory and answer at most. */
const FENCE = {
  ...READING,
  max_memory_usage: 2_000_000_000,
  max_result_rows: MOST_ROWS + 1,
  result_overflow_mode: 'throw',
  max_result_bytes: 100_000_000,
  max_joined_block_size_rows: SMALL_BLOCKS.max_joined_block_size_rows,
  function_range_max_elements_in_block: 50_000_000,
  max_hyperscan_regexp_length: 1_000,
  max_hyperscan_regexp_total_length: 10_000,
  max_subquery_depth: 100,
  max_ast_elements: 50_000,
  max_expanded_ast_elements: 200_000,
  allow_experimental_analyzer: 1,
  enable_positional_arguments: 1,
  prefer_column_name_to_alias: 0,
  cast_string_to_date_time_mode: 'best_effort',
  // NULL is in a list or a query that holds NULL, and in no other.
  transform_null_in: 1,
}

export interface SqlOptions {
  readonly signal?: AbortSignal | undefined
  readonly queryId?: string | undefined
}

/** Runs SQL of a client over the views of one project. */
export async function runSql(
  context: InsightContext,
  request: SqlRequest,
  options: SqlOptions = {},
): Promise<SqlResult> {
  const { page, marked, answer } = await runTable(context, request, (facts) => planSql(request, facts), options)
  const tooMany = page !== null && !marked && answer.rows.length > page.limit
  const hasMore = marked ? answer.rows.some((row) => Number(row.at(-1)) === 1) : tooMany
  const rows = marked ? answer.rows.map((row) => row.slice(0, -1)) : answer.rows
  return {
    columns: answer.columns,
    types: answer.columns.map((name, i) => [name, answer.types[i] ?? ''] as const),
    results: tooMany ? rows.slice(0, page.limit) : rows,
    page: page && { ...page, hasMore },
    elapsedMs: answer.elapsedMs,
    asked: answer.asked,
  }
}

interface TableRows {
  readonly columns: readonly string[]
  readonly types: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly elapsedMs: number
  /** The statement it took. */
  readonly asked: Asked
}

/** Facts, plan, statement and rows of a query that is a tree, be it read from the SQL of a client or made here. */
export async function runTable<P extends Omit<SqlPlan, 'page'>>(
  context: InsightContext,
  filling: Filling,
  plan: (facts: Facts) => P,
  { signal, queryId }: SqlOptions,
): Promise<P & { readonly answer: TableRows }> {
  const runner = new StatementRunner(context.clickhouse, signal)
  const asked = { filters: filtersOf(filling, context), query: filling.query ?? '' }
  const facts = await gatherSqlFacts(asked, context, runner)
  const planned = plan(facts)
  const { statement, columns, calls } = sqlStatement(planned, facts)
  const {
    types,
    rows,
    asked: cost,
  } = await runner.table(statement, FENCE, queryId).catch((error: unknown) => {
    throw withPlaces(error, calls.places)
  })
  refuseStates(columns, types)
  return { ...planned, answer: { columns, types, rows, elapsedMs: cost.elapsedMs, asked: cost } }
}

/** The state of an aggregate means something to another aggregate, and to nobody else. */
function refuseStates(columns: readonly string[], types: readonly string[]): void {
  const at = types.findIndex((type) => /\bAggregateFunction\(/.test(type))
  if (at === -1) return
  throw sqlError(
    `Column ${JSON.stringify(columns[at])} is a state, for a query around it to merge: SELECT sumMerge(s) FROM (SELECT sumState(x) AS s ...). Without State the aggregate answers at once.`,
  )
}
