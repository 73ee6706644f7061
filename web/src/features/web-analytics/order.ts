/** By which column each table is ordered: in the address, and in its question. */
import type { Json } from '../../lib/json.ts'
import type { WebState } from './search.ts'

/** What the wire calls the columns of answers. */
const ORDERS: Readonly<Record<string, string>> = {
  visitors: 'Visitors',
  views: 'Views',
  clicks: 'Clicks',
  bounce_rate: 'BounceRate',
  average_scroll_percentage: 'AverageScrollPercentage',
  avg_time_on_page: 'AvgTimeOnPage',
  total_conversions: 'TotalConversions',
  unique_conversions: 'UniqueConversions',
  conversion_rate: 'ConversionRate',
  converting_users: 'ConvertingUsers',
}

export type Order = NonNullable<WebState['order']>[number]
export type Ordered = Order['on']

const ofTable = ({ order = [] }: WebState, on: Ordered): Order | undefined => order.find((each) => each.on === on)

/** The order of a table that has these columns, the first of them descending unless another was chosen. */
export function orderOf(state: WebState, on: Ordered, columns: readonly string[]): { by: string; up: boolean } {
  const { by, up } = ofTable(state, on) ?? {}
  return by !== undefined && columns.includes(by) ? { by, up: up === true } : { by: columns[0] ?? '', up: false }
}

/** The field of a question; none for the order that it has anyway. */
export function orderBy(state: WebState, on: Ordered, columns: readonly string[]): { [key: string]: Json } {
  const { by, up } = orderOf(state, on, columns)
  return (by === columns[0] && !up) || ORDERS[by] === undefined ? {} : { orderBy: [ORDERS[by], up ? 'ASC' : 'DESC'] }
}

/** A click on a column: it orders descending; one on the column that does already turns the order around. */
export function reordered(state: WebState, on: Ordered, by: string, columns: readonly string[]): Order[] | undefined {
  const now = orderOf(state, on, columns)
  const next: Order = { on, by, ...(now.by === by && !now.up ? { up: true } : {}) }
  const others = (state.order ?? []).filter((each) => each.on !== on)
  const all = next.by === columns[0] && !next.up ? others : [...others, next]
  return all.length === 0 ? undefined : all
}
