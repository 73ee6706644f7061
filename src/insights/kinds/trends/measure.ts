/**
 * What each math counts, as SQL. A measure is a statement with the columns bucket, labels and value: one row for each
 * interval (or one for the whole range) and breakdown value in which something happened.
 */

import type { SeriesMath } from '../../../contract/queries/index.ts'
import { and, type Fragment, moment, sql } from '../../../engines/clickhouse-sql.ts'
import { DAY } from '../../../lib/durations.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { breakdownLabels } from '../../sql/breakdown.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { numberIn } from '../../sql/operators.ts'
import { type ActiveDays, activeMeasure, slides } from './active.ts'
import { aggregateOf, expressionOf, mathValue } from './aggregates.ts'
import { bucketColumn } from './bucket-column.ts'
import { firstEvents } from './first-time.ts'
import type { TrendSeriesPlan, TrendsPlan } from './plan.ts'
import { rankedMeasure } from './ranked.ts'

export function measure(plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange): Fragment {
  const { math, node } = series
  switch (math) {
    case 'dau':
      return distinctActors(plan, series, range, plan.groupIndex)
    case 'unique_group':
      return distinctActors(plan, series, range, node.math_group_type_index ?? 0)
    case 'weekly_active':
      return active(plan, series, range, 7)
    case 'monthly_active':
      return active(plan, series, range, 30)
    case 'first_time_for_user':
    case 'first_time_for_user_with_filters':
    case 'first_matching_event_for_user':
      return firstTime(plan, series, range)
    case 'unique_session':
      return perEvent(plan, series, range, () => sql`uniqExact(e.session_id)`)
    case 'hogql':
      return perEvent(plan, series, range, (scope) => expressionOf(scope, node))
    default:
      return counted(plan, series, range, math)
  }
}

function counted(plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange, math: SeriesMath): Fragment {
  const { node } = series
  if (math.endsWith('_count_per_actor')) {
    return inTwoSteps(plan, series, range, aggregateOf(math), (scope) => ({
      key: scope.actor(plan.groupIndex),
      value: sql`count()`,
      conditions: scope.hasActor(plan.groupIndex),
    }))
  }
  if (math === 'total') return added(plan, series, range, () => sql`count()`)
  if (node.math_property === '$session_duration') {
    return inTwoSteps(plan, series, range, aggregateOf(math), (scope) => ({
      key: sql`e.session_id`,
      value: sql`any(${numberIn(scope.property({ type: 'session', key: '$session_duration' }))})`,
      conditions: [sql`e.session_id != ''`],
    }))
  }
  const value = (scope: EventScope) => aggregateOf(math)(mathValue(scope, node))
  return math === 'sum' ? added(plan, series, range, value) : perEvent(plan, series, range, value)
}

/** What can be added up over breakdown values needs to see the events only once. */
function added(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  value: (scope: EventScope) => Fragment,
): Fragment {
  const { breakdown } = plan
  if (breakdown?.limit === undefined) return perEvent(plan, series, range, value)
  return rankedMeasure(plan, { ...breakdown, limit: breakdown.limit }, series, range, value)
}

/** One aggregate over the events of a bucket. */
function perEvent(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  value: (scope: EventScope) => Fragment,
  more: (scope: EventScope) => Fragment[] = () => [],
): Fragment {
  const scope = scopeOf(plan, range)
  const aggregate = value(scope)
  const { labels, andLabels, conditions } = breakdownLabels(plan, scope, series, range)
  const where = and([...eventConditions(plan, scope, series.node, range), ...conditions, ...more(scope)])
  return sql`SELECT ${bucketColumn(plan, range)} AS bucket, ${labels} AS labels, ${aggregate} AS value
FROM ${scope.from()}
WHERE ${where}
GROUP BY bucket${andLabels}`
}

interface Inner {
  readonly key: Fragment
  readonly value: Fragment
  readonly conditions: readonly Fragment[]
}

/** First one value for each key (actor, session) in a bucket, then an aggregate over those. */
function inTwoSteps(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  outer: (value: Fragment) => Fragment,
  make: (scope: EventScope) => Inner,
): Fragment {
  const scope = scopeOf(plan, range)
  const inner = make(scope)
  const { labels, andLabels, conditions } = breakdownLabels(plan, scope, series, range)
  const where = and([...eventConditions(plan, scope, series.node, range), ...conditions, ...inner.conditions])
  return sql`SELECT bucket, labels, ${outer(sql`inner_value`)} AS value
FROM (
  SELECT ${bucketColumn(plan, range)} AS bucket, ${labels} AS labels, ${inner.key} AS inner_key, ${inner.value} AS inner_value
  FROM ${scope.from()}
  WHERE ${where}
  GROUP BY bucket, inner_key${andLabels}
)
GROUP BY bucket, labels`
}

function distinctActors(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  groupIndex: number | undefined,
): Fragment {
  const present = (scope: EventScope) => scope.hasActor(groupIndex)
  if (!plan.cumulative) {
    return perEvent(plan, series, range, (scope) => sql`uniqExact(${scope.actor(groupIndex)})`, present)
  }
  // Everyone so far: each actor counts once, in the first bucket that saw it.
  const states = perEvent(plan, series, range, (scope) => sql`uniqExactState(${scope.actor(groupIndex)})`, present)
  return sql`SELECT bucket, labels,
  uniqExactMerge(value) OVER (PARTITION BY labels ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS value
FROM (${states})`
}

/**
 * Weekly and monthly active: a window that slides over days; over whole weeks or months it is a plain distinct count.
 */
function active(plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange, days: ActiveDays): Fragment {
  if (plan.totalValue) {
    const window = { ...range, from: range.to - days * DAY }
    return distinctActors({ ...plan, cumulative: false }, series, window, plan.groupIndex)
  }
  if (!slides(range.interval, days))
    return distinctActors({ ...plan, cumulative: false }, series, range, plan.groupIndex)
  return activeMeasure(plan, series, range, days)
}

/** Each actor counts where its first event falls, when that is in the range and satisfies the filters. */
const firstTime = (plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange): Fragment =>
  sql`SELECT ${bucketColumn(plan, range, sql`first_at`)} AS bucket, first_event.2 AS labels, count() AS value
FROM (${firstEvents(plan, series, range)})
WHERE first_event.1 AND first_at >= ${moment(range.from)}
GROUP BY bucket, labels`
