/** A SQL query, settled: its tree, what its placeholders stand for, and how many rows it may answer. */
import {
  allOf,
  type HogQLQuery,
  NO_FILTERS,
  type PropertyGroup,
  readProperties,
} from '../../../contract/queries/index.ts'
import type { ProjectFacts } from '../../facts/facts.ts'
import type { Expression, Query, Select } from '../../hogql/ast.ts'
import { countOf } from '../../hogql/constant-count.ts'
import { sqlError } from '../../hogql/error.ts'
import { parseQuery } from '../../hogql/parse.ts'
import { type Placeholders, valueGiven } from '../../hogql/placeholders.ts'

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
  /** Of a union: how its parts are put together, when each has a column that says whether it had more. */
  readonly marked?: 'UNION ALL' | 'UNION DISTINCT' | undefined
}

const DEFAULT_ROWS = 100
export const MOST_ROWS = 50_000

export function planSql(request: SqlRequest, facts: ProjectFacts): SqlPlan {
  const placeholders = placeholdersOf(request, facts)
  return { ...limited(parseQuery(request.query), placeholders), placeholders }
}

type Limited = Pick<SqlPlan, 'tree' | 'page' | 'marked'>

/**
 * Without a LIMIT the first hundred rows are answered, of a union those of each part, and whether there are more; no
 * LIMIT goes beyond the most there may be.
 */
function limited(tree: Query, placeholders: Placeholders): Limited {
  if (tree.kind === 'union') return limitedUnion(tree)
  const count = (of: Expression, what: string) => countOf(of, what, (path) => valueGiven(path, placeholders))
  if (tree.limit !== null)
    return { tree: { ...tree, limit: number(Math.min(count(tree.limit, 'LIMIT'), MOST_ROWS)) }, page: null }
  const offset = tree.offset ? count(tree.offset, 'OFFSET') : 0
  return { tree: { ...tree, limit: number(DEFAULT_ROWS + 1) }, page: { limit: DEFAULT_ROWS, offset } }
}

function limitedUnion(tree: Query): Limited {
  const parts = partsOf(tree)
  if (parts.every(({ limit }) => limit !== null)) return { tree, page: null }
  const page = { limit: DEFAULT_ROWS, offset: 0 }
  const marked = (['UNION ALL', 'UNION DISTINCT'] as const).find((operator) => isOnly(tree, operator))
  // Of what INTERSECT and EXCEPT compare, a hundred rows each would mean nothing: there the whole answer is cut.
  return marked ? { tree: marking(tree), page, marked } : { tree, page }
}

const partsOf = (tree: Query): Select[] =>
  tree.kind === 'select' ? [tree] : [tree.first, ...tree.rest.map(({ query }) => query)].flatMap(partsOf)

const isOnly = (tree: Query, wanted: string): boolean =>
  tree.kind === 'select' ||
  (isOnly(tree.first, wanted) && tree.rest.every(({ operator, query }) => operator === wanted && isOnly(query, wanted)))

/** The same union of the first rows of its parts, each row with whether its part had more. */
function marking(tree: Query): Query {
  if (tree.kind === 'union')
    return {
      ...tree,
      first: marking(tree.first),
      rest: tree.rest.map(({ query }) => ({ operator: 'UNION ALL', query: marking(query) })),
    }
  if (tree.limit !== null) return { ...tree, marksMore: { rows: null } }
  return { ...tree, limit: number(DEFAULT_ROWS + 1), marksMore: { rows: DEFAULT_ROWS } }
}

const number = (value: number): Expression => ({ kind: 'number', text: String(value) })

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
    interval: filters?.interval ?? undefined,
    values: values ?? {},
    variables: Object.fromEntries(named),
  }
}
