/**
 * The first event ever of each actor: by that name alone, or, for the maths that say so, of those that satisfy the
 * filters.
 */
import { and, type Fragment, moment, sql } from '../../../engines/clickhouse-sql.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { scopeOf } from '../../plan/plan.ts'
import { breakdownLabels } from '../../sql/breakdown.ts'
import { conditionsOf } from '../../sql/filter.ts'
import { sampled } from '../../sql/sampling.ts'
import { nameConditions, seriesConditions } from '../../sql/series.ts'
import type { TrendSeriesPlan, TrendsPlan } from './plan.ts'

/**
 * One row an actor: actor, first_at, and first_event (whether it satisfies the filters, its breakdown labels, and of
 * the event itself what `event` asks).
 */
export function firstEvents(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  event: Fragment = sql`''`,
): Fragment {
  const scope = scopeOf(plan, range)
  const actor = scope.actor(plan.groupIndex)
  const { labels, conditions: shown } = breakdownLabels(plan, scope, series, range)
  const filters = [
    ...seriesConditions(scope, series.node, plan.operators),
    ...conditionsOf(scope, plan.filters, plan.operators),
    ...shown,
  ]
  const byNameAlone = series.math === 'first_time_for_user'
  const where = and([
    scope.ofProject(),
    sql`e.timestamp < ${moment(range.to + 1)}`,
    ...(byNameAlone ? nameConditions(scope, series.node, plan.operators) : filters),
    ...scope.hasActor(plan.groupIndex),
    ...sampled(scope, plan.sampling),
  ])
  const fits = byNameAlone ? and(filters) : sql`1`
  // Of several first events at the same instant, one that fits.
  return sql`SELECT ${actor} AS actor, min(e.timestamp) AS first_at,
  argMin((toUInt8(${fits}), ${labels}, ${event}), (e.timestamp, NOT (${fits}))) AS first_event
FROM ${scope.from()}
WHERE ${where}
GROUP BY actor`
}
