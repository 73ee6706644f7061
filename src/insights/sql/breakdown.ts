/**
 * Breakdown values in SQL: the text of each property, the values worth a series of their own, and one label for the
 * rest.
 */

import type { SeriesNode } from '../../contract/queries/index.ts'
import { and, type Fragment, ident, join, Param, sql, str, strings, uint } from '../../engines/clickhouse-sql.ts'
import {
  type BreakdownPart,
  type BreakdownPlan,
  DEFAULT_BREAKDOWN_LIMIT,
  NULL_LABEL,
  OTHER_LABEL,
} from '../plan/breakdown.ts'
import type { DateRange } from '../plan/date-range.ts'
import { eventConditions, type Plan, scopeOf } from '../plan/plan.ts'
import type { EventScope } from './event-scope.ts'
import { numberIn } from './operators.ts'

interface BrokenDown {
  readonly breakdown?: BreakdownPlan | undefined
}

export interface SeriesRank {
  readonly node: SeriesNode
  /** By what values are ranked when not all can have a series; the number of events when absent. */
  readonly rank?: ((scope: EventScope) => { readonly by: Fragment; readonly ascending: boolean }) | undefined
}

interface Labels {
  /** Array(String), empty without a breakdown. */
  readonly labels: Fragment
  /**
   * What to add to GROUP BY: nothing without a breakdown, because a constant list as a key costs a third of the time.
   */
  readonly andLabels: Fragment
  /** What is not shown at all is left out. */
  readonly conditions: readonly Fragment[]
}

export function breakdownLabels(
  plan: Plan & BrokenDown,
  scope: EventScope,
  series: SeriesRank,
  range: DateRange,
): Labels {
  const { breakdown } = plan
  if (breakdown === undefined) return { labels: sql`CAST([], 'Array(String)')`, andLabels: sql``, conditions: [] }
  const andLabels = sql`, labels`
  const values = breakdown.parts.map((part) => breakdownValue(scope, part))
  const all = sql`[${join(values, ', ')}]`
  if (breakdown.limit === undefined) return { labels: all, andLabels, conditions: [] }
  const isTop = sql`(${join(values, ', ')}) IN (${topValues(plan, breakdown, series, range)})`
  if (breakdown.hideOther || breakdown.offset > 0) return { labels: all, andLabels, conditions: [isTop] }
  const others = strings(breakdown.parts.map(() => OTHER_LABEL))
  return { labels: sql`if(${isTop}, ${all}, ${others})`, andLabels, conditions: [] }
}

/** The text of a breakdown property; missing and empty are one value. */
export function breakdownValue(scope: EventScope, part: BreakdownPart): Fragment {
  const value = scope.property(part.ref)
  const shown = part.bins !== undefined ? binOf(value, part.bins) : part.normalizeUrl ? normalizedUrl(value) : value
  return sql`ifNull(nullIf(${shown}, ''), ${str(NULL_LABEL)})`
}

/** Without the slashes, question marks and hashes at its end; the root stays "/". */
const normalizedUrl = (value: Fragment): Fragment =>
  sql`if(match(${value}, '^[/?#]+$'), '/', replaceRegexpOne(${value}, '[/?#]+$', ''))`

function binOf(value: Fragment, bins: NonNullable<BreakdownPart['bins']>): Fragment {
  const number = numberIn(value)
  const edges = new Param('Array(Float64)', bins.edges)
  const last = bins.edges.at(-1) ?? 0
  return sql`if(ifNull(${number} < ${new Param('Float64', last)}, 0), nullIf(arrayElement(${strings(bins.labels)}, arrayCount(edge -> edge <= assumeNotNull(${number}), ${edges})), ''), NULL)`
}

function topValues(plan: Plan & BrokenDown, breakdown: BreakdownPlan, series: SeriesRank, range: DateRange): Fragment {
  const scope = scopeOf(plan, range)
  const names = breakdown.parts.map((_, index) => ident(`v${index}`))
  const columns = breakdown.parts.map(
    (part, index) => sql`${breakdownValue(scope, part)} AS ${names[index] as Fragment}`,
  )
  const { by, ascending } = series.rank?.(scope) ?? { by: sql`count()`, ascending: false }
  const where = and(eventConditions(plan, scope, series.node, range))
  const order = [ascending ? sql`${by} ASC` : sql`${by} DESC`, ...names.map((name) => sql`${name} DESC`)]
  return sql`SELECT ${join(columns, ', ')}
  FROM ${scope.from()}
  WHERE ${where}
  GROUP BY ${join(names, ', ')}
  ORDER BY ${join(order, ', ')}
  LIMIT ${uint(breakdown.limit ?? DEFAULT_BREAKDOWN_LIMIT)} OFFSET ${uint(breakdown.offset)}`
}
