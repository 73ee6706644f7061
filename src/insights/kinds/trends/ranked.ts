/**
 * Counts and sums of a breakdown in one pass over the events: first by bucket and value, then the values ranked, and
 * the small ones added up as "other". Only what can be added up goes this way; a distinct count of "other" is not the
 * sum of its parts.
 */
import { and, type Fragment, ident, join, sql, strings, uint } from '../../../engines/clickhouse-sql.ts'
import { type BreakdownPlan, OTHER_LABEL } from '../../plan/breakdown.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { breakdownValue } from '../../sql/breakdown.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { bucketColumn } from './bucket-column.ts'
import type { TrendSeriesPlan, TrendsPlan } from './plan.ts'

export function rankedMeasure(
  plan: TrendsPlan,
  breakdown: BreakdownPlan & { readonly limit: number },
  series: TrendSeriesPlan,
  range: DateRange,
  value: (scope: EventScope) => Fragment,
): Fragment {
  const scope = scopeOf(plan, range)
  const amount = value(scope)
  const names = breakdown.parts.map((_, index) => ident(`v${index}`))
  const columns = breakdown.parts.map(
    (part, index) => sql`${breakdownValue(scope, part)} AS ${names[index] as Fragment}`,
  )
  const where = and(eventConditions(plan, scope, series.node, range))
  const ranked = join([sql`weight DESC`, ...names.map((name) => sql`${name} DESC`)], ', ')
  const keys = join(names, ', ')
  const end = uint(breakdown.offset + breakdown.limit)
  const pageOnly = breakdown.hideOther || breakdown.offset > 0
  const others = strings(breakdown.parts.map(() => OTHER_LABEL))
  return sql`SELECT point.1 AS bucket, ${pageOnly ? sql`[${keys}]` : sql`if(place <= ${end}, [${keys}], ${others})`} AS labels, sum(point.2) AS value
FROM (
  SELECT ${keys}, points, row_number() OVER (ORDER BY ${ranked}) AS place
  FROM (
    SELECT ${keys}, sum(amount) AS weight, groupArray((slot, amount)) AS points
    FROM (
      SELECT ${bucketColumn(plan, range)} AS slot, ${join(columns, ', ')}, ${amount} AS amount
      FROM ${scope.from()}
      WHERE ${where}
      GROUP BY slot, ${keys}
    )
    GROUP BY ${keys}
  )
)
ARRAY JOIN points AS point
WHERE ${pageOnly ? sql`place > ${uint(breakdown.offset)} AND place <= ${end}` : sql`1`}
GROUP BY bucket, labels`
}
