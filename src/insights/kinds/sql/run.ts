import {
  allOf,
  type HogQLQuery,
  NO_FILTERS,
  type PropertyGroup,
  readProperties,
} from '../../../contract/queries/index.ts'
import type { ClickHouse } from '../../../engines/clickhouse/index.ts'
import { render, sql } from '../../../engines/clickhouse-sql.ts'
import type { Definitions } from '../../definitions/definitions.ts'
import { namedIn } from '../../definitions/named.ts'
import { checkPatterns } from '../../facts/check-patterns.ts'
import type { InsightProject } from '../../facts/facts.ts'
import type { Query } from '../../hogql/ast.ts'
import { Compiler } from '../../hogql/compile.ts'
import { sqlError } from '../../hogql/error.ts'
import { expressionsOver } from '../../hogql/expression.ts'
import { parseQuery } from '../../hogql/parse.ts'
import type { Placeholders } from '../../hogql/placeholders.ts'
import type { ViewContext } from '../../hogql/view.ts'
import { inWordsOfTheAsker } from '../../run/engine-words.ts'
import { type Asked, MOST_SECONDS, READING, SMALL_BLOCKS, StatementRunner } from '../../run/statement-runner.ts'

export interface SqlContext {
  readonly clickhouse: ClickHouse
  readonly project: InsightProject
  readonly now: number
  readonly hasOverrides: boolean
  readonly definitions?: Definitions | undefined
  readonly propertyType: ViewContext['propertyType']
}

export type SqlRequest = Pick<HogQLQuery, 'query'> & Filling
/** What stands for the placeholders of a query. */
export type Filling = Partial<Pick<HogQLQuery, 'filters' | 'values' | 'variables'>>

export interface SqlResult {
  readonly columns: readonly string[]
  readonly types: readonly (readonly [name: string, type: string])[]
  readonly results: readonly (readonly unknown[])[]
  /** Only when the query had no LIMIT of its own. */
  readonly page: { readonly hasMore: boolean; readonly limit: number; readonly offset: number } | null
  readonly elapsedMs: number
  readonly asked: Asked
}

const DEFAULT_ROWS = 100
const MOST_ROWS = 50_000

/** Nothing a query says changes these: reading only, and so much time, memory and answer at most. */
const FENCE = {
  ...READING,
  max_memory_usage: 2_000_000_000,
  max_result_rows: MOST_ROWS + 1,
  result_overflow_mode: 'throw',
  max_result_bytes: 100_000_000,
  ...SMALL_BLOCKS,
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
}
export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  readonly queryId?: string
}

/** Runs SQL of a client over the views of one project. */
export async function runSql(context: SqlContext, request: SqlRequest, options: RunOptions = {}): Promise<SqlResult> {
  const { query, page } = limited(parseQuery(request.query))
  const answer = await runSelect(context, query, request, options)
  const hasMore = page !== null && answer.rows.length > page.limit
  return {
    columns: answer.columns,
    types: answer.columns.map((name, i) => [name, answer.types[i] ?? ''] as const),
    results: hasMore ? answer.rows.slice(0, page.limit) : answer.rows,
    page: page && { ...page, hasMore },
    elapsedMs: answer.elapsedMs,
    asked: answer.asked,
  }
}

export interface Answer {
  readonly columns: readonly string[]
  readonly types: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly elapsedMs: number
  /** The statement it took. */
  readonly asked: Asked
}

/** Runs a tree, be it read from the SQL of a client or made here. */
export async function runSelect(
  context: SqlContext,
  query: Query,
  filling: Filling,
  options: RunOptions = {},
): Promise<Answer> {
  const { project, hasOverrides, propertyType } = context
  const view = {
    projectId: project.id,
    timezone: project.timezone,
    hasOverrides,
    propertyType,
    expressions: expressionsOver(propertyType),
    named: namedIn(context),
  }
  const compiled = new Compiler(view, await placeholdersOf(context, filling)).query(query)
  const statement = query.kind === 'union' ? sql`SELECT * FROM (${compiled.sql}) LIMIT ${MOST}` : compiled.sql
  try {
    const answer = await context.clickhouse.query<Record<string, unknown>>(statement, {
      settings: FENCE,
      maxSeconds: MOST_SECONDS,
      ...options,
    })
    const names = answer.columns.map(({ name }) => name)
    return {
      columns: compiled.columns,
      types: answer.columns.map(({ type }) => type),
      rows: answer.rows.map((row) => names.map((name) => row[name])),
      elapsedMs: answer.elapsedMs,
      asked: { statement: render(statement), rowsRead: answer.readRows, elapsedMs: answer.elapsedMs },
    }
  } catch (error) {
    throw inWordsOfTheAsker(error)
  }
}

const MOST = sql`50000`

/** Without a LIMIT the first hundred rows are answered, and whether there are more; no LIMIT goes beyond the most there may be. */
function limited(query: Query): { query: Query; page: { limit: number; offset: number } | null } {
  if (query.kind === 'union') return { query, page: null }
  if (query.limit !== null) return { query: { ...query, limit: Math.min(query.limit, MOST_ROWS) }, page: null }
  return { query: { ...query, limit: DEFAULT_ROWS + 1 }, page: { limit: DEFAULT_ROWS, offset: query.offset ?? 0 } }
}

async function placeholdersOf(context: SqlContext, { filters, values, variables }: Filling): Promise<Placeholders> {
  const { project, now } = context
  const properties: PropertyGroup = allOf(
    filters?.properties ?? NO_FILTERS,
    filters?.filterTestAccounts ? readProperties(project.test_account_filters, refuseFilter) : NO_FILTERS,
  )
  await checkPatterns(properties, new StatementRunner(context.clickhouse, undefined), ['filters', 'properties'])
  const named = Object.values(variables ?? {}).map(
    ({ code_name, value, isNull }) => [code_name, isNull ? null : (value ?? null)] as const,
  )
  return {
    operators: { timezone: project.timezone, now },
    properties,
    dateFrom: filters?.dateRange?.date_from ?? null,
    dateTo: filters?.dateRange?.date_to ?? null,
    values: values ?? {},
    variables: Object.fromEntries(named),
  }
}

function refuseFilter(message: string): never {
  throw sqlError(message)
}
