/** A SQL query, settled: its tree, what its placeholders stand for, and how many rows it may answer. */
import {
  allOf,
  type HogQLQuery,
  NO_FILTERS,
  type PropertyGroup,
  readProperties,
} from '../../../contract/queries/index.ts'
import type { ProjectFacts } from '../../facts/facts.ts'
import type { Query } from '../../hogql/ast.ts'
import { sqlError } from '../../hogql/error.ts'
import { parseQuery } from '../../hogql/parse.ts'
import type { Placeholders } from '../../hogql/placeholders.ts'

export type SqlRequest = Pick<HogQLQuery, 'query'> & Filling
/** What stands for the placeholders of a query. */
export type Filling = Partial<Pick<HogQLQuery, 'filters' | 'values' | 'variables' | 'query'>>

export interface SqlPlan {
  readonly tree: Query
  readonly placeholders: Placeholders
  /**
   * Which rows are answered of a query that has no LIMIT of its own; one more is asked for, to know whether there are
   * more.
   */
  readonly page: { readonly limit: number; readonly offset: number } | null
}

const DEFAULT_ROWS = 100
export const MOST_ROWS = 50_000

export function planSql(request: SqlRequest, facts: ProjectFacts): SqlPlan {
  return { ...limited(parseQuery(request.query)), placeholders: placeholdersOf(request, facts) }
}

/**
 * Without a LIMIT the first hundred rows are answered, and whether there are more; no LIMIT goes beyond the most there
 * may be.
 */
function limited(tree: Query): Pick<SqlPlan, 'tree' | 'page'> {
  if (tree.kind === 'union') return { tree, page: null }
  if (tree.limit !== null) return { tree: { ...tree, limit: Math.min(tree.limit, MOST_ROWS) }, page: null }
  return { tree: { ...tree, limit: DEFAULT_ROWS + 1 }, page: { limit: DEFAULT_ROWS, offset: tree.offset ?? 0 } }
}

/** The filters of a request, and of the project when they are asked for. */
export const filtersOf = ({ filters }: Filling, { project }: Pick<ProjectFacts, 'project'>): PropertyGroup =>
  allOf(
    filters?.properties ?? NO_FILTERS,
    filters?.filterTestAccounts ? readProperties(project.test_account_filters, refuseFilter) : NO_FILTERS,
  )

function refuseFilter(message: string): never {
  throw sqlError(message)
}

export function placeholdersOf(filling: Filling, facts: ProjectFacts): Placeholders {
  const { filters, values, variables } = filling
  const named = Object.values(variables ?? {}).map(
    ({ code_name, value, isNull }) => [code_name, isNull ? null : (value ?? null)] as const,
  )
  return {
    operators: { timezone: facts.project.timezone, now: facts.now },
    properties: filtersOf(filling, facts),
    dateFrom: filters?.dateRange?.date_from ?? null,
    dateTo: filters?.dateRange?.date_to ?? null,
    values: values ?? {},
    variables: Object.fromEntries(named),
  }
}
