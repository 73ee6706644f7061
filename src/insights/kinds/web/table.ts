/** Tables of web analytics: how their columns are named, ordered and answered. */
import type { WebOrder } from '../../../contract/queries/index.ts'
import type { WebRow } from '../../../contract/results/index.ts'
import { type Fragment, ident, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'

/** Columns of a table after the label; each has a twin of the period before, `name_before`. */
const COLUMN_OF_ORDER: Readonly<Record<WebOrder, string>> = {
  Visitors: 'visitors',
  Views: 'views',
  Clicks: 'clicks',
  BounceRate: 'bounce_rate',
  AverageScrollPercentage: 'average_scroll_percentage',
  ScrollGt80Percentage: 'scroll_gt80_percentage',
  AvgTimeOnPage: 'avg_time_on_page',
  TotalConversions: 'total_conversions',
  UniqueConversions: 'unique_conversions',
  ConversionRate: 'conversion_rate',
  ConvertingUsers: 'converting_users',
  RageClicks: 'rage_clicks',
  DeadClicks: 'dead_clicks',
  Errors: 'errors',
}

interface Page {
  readonly orderBy?: readonly [WebOrder, 'ASC' | 'DESC'] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

const DEFAULT_LIMIT = 10

export const pageOf = ({ limit = DEFAULT_LIMIT, offset = 0 }: Page) => ({ limit, offset })

export function orderedColumn({ orderBy }: Page, columns: readonly string[]): { name: string; descending: boolean } {
  const [first = ''] = columns
  if (orderBy === undefined) return { name: first, descending: true }
  const name = COLUMN_OF_ORDER[orderBy[0]]
  if (!columns.includes(name)) {
    const known = Object.entries(COLUMN_OF_ORDER).flatMap(([order, column]) =>
      columns.includes(column) ? [order] : [],
    )
    throw new InvalidQuery(`This table cannot be ordered by ${orderBy[0]}: it has ${known.join(', ')}.`, ['orderBy'])
  }
  return { name, descending: orderBy[1] === 'DESC' }
}

/** The page of a statement that groups by `label`; one row more says whether there are others. */
export function paged(statement: Fragment, page: Page, columns: readonly string[]): Fragment {
  const { name, descending } = orderedColumn(page, columns)
  const direction = descending ? sql`DESC` : sql`ASC`
  // Rows that only the period before has come last.
  return sql`SELECT * FROM (${statement}) ORDER BY ifNull(${ident(name)}, -1) ${direction}, ${ident(columns[0] as string)} DESC, toString(label)
    LIMIT ${uint((page.limit ?? DEFAULT_LIMIT) + 1)} OFFSET ${uint(page.offset ?? 0)}`
}

export interface TableRow {
  readonly label: string | readonly string[]
  readonly [column: string]: number | null | string | readonly string[]
}

export function tableFields(
  rows: readonly TableRow[],
  page: Page,
  columns: readonly string[],
  { compared, label = 'breakdown_value' }: { readonly compared: boolean; readonly label?: string },
) {
  const limit = page.limit ?? DEFAULT_LIMIT
  return {
    columns: [label, ...columns].map((name) => `context.columns.${name}`),
    types: ['String', ...columns.map(() => 'Array(Float64)')],
    results: rows
      .slice(0, limit)
      .map(
        (row): WebRow => [
          labelOf(row.label),
          ...columns.map((name): [number | null, number | null] => [
            numberOf(row[name]),
            compared ? numberOf(row[`${name}_before`]) : null,
          ]),
        ],
      ),
    hasMore: rows.length > limit,
    limit,
    offset: page.offset ?? 0,
  }
}

const labelOf = (label: TableRow['label']): WebRow[0] =>
  typeof label === 'string' ? label || null : label.map((part) => part || null)

export const numberOf = (value: TableRow[string] | undefined): number | null =>
  typeof value === 'number' ? value : null
