/** The persons (or groups) behind one point of a trend. */

import type { InsightActorsQuery, TrendsQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, moment, sql, strings } from '../../../engines/clickhouse-sql.ts'
import { DAY } from '../../../lib/durations.ts'
import { InvalidQuery } from '../../../lib/invalid-input.ts'
import { toInstant, toLocal } from '../../../lib/zone.ts'
import type { Facts } from '../../facts/facts.ts'
import { bucketOf } from '../../plan/bucket-at.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { withBins } from '../../run/bin-edges.ts'
import type { StatementRunner } from '../../run/statement-runner.ts'
import { type ActorSelection, matchColumns, matchedEvent } from '../../sql/actors.ts'
import { breakdownLabels } from '../../sql/breakdown.ts'
import { activeDays, slides } from './active.ts'
import { isPropertyMath, mathValue } from './aggregates.ts'
import { firstEvents } from './first-time.ts'
import { nodesOf, planTrends, type TrendSeriesPlan, type TrendsPlan } from './plan.ts'

type TrendActorsQuery = InsightActorsQuery & { readonly source: TrendsQuery }

export async function trendActors(
  query: TrendActorsQuery,
  facts: Facts,
  runner: StatementRunner,
): Promise<ActorSelection> {
  const planned = planTrends(query.source, facts)
  const plan = await withBins(planned, nodesOf(planned), runner)
  const series = plan.series.find(({ index }) => index === (query.series ?? 0))
  if (series === undefined) throw new InvalidQuery('The query has no such series.', ['series'])
  const period = plan.periods.find(({ label }) => label === (query.compare ?? 'current'))
  if (period === undefined) {
    throw new InvalidQuery('The query compares with no earlier period.', ['compare'])
  }
  const groupIndex = series.math === 'unique_group' ? (series.node.math_group_type_index ?? 0) : plan.groupIndex
  const point = pointOf(plan, series, period.range, query.day)
  const labels = labelsAsked(query.breakdown)
  const isFirst = series.math.startsWith('first_')
  const statement = isFirst
    ? firstActors(plan, series, period.range, point, labels)
    : eventActors(plan, series, period.range, point, labels, groupIndex)
  return { statement, groupIndex }
}

/** The time whose events count for the point. */
function pointOf(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  day: string | number | undefined,
): Pick<DateRange, 'from' | 'to'> {
  const window = activeDays(series.math)
  if (day === undefined || plan.totalValue) {
    return window === undefined ? range : { from: range.to - window * DAY, to: range.to }
  }
  const bucket = bucketOf(day, range, plan.clock)
  const last = bucket.isInRange ? range.to : Number.POSITIVE_INFINITY
  if (plan.cumulative) return { from: Math.min(range.from, bucket.from), to: Math.min(last, bucket.to) }
  if (window !== undefined && slides(range.interval, window)) {
    // Open where it begins, and with the end of the day, as the math has it.
    const { timezone } = plan.clock
    const start = toLocal(bucket.from, timezone)
    const [first, end] = [toInstant(start - (window - 1) * DAY, timezone), toInstant(start + DAY, timezone)]
    return { from: first + 1, to: Math.min(last, end) }
  }
  return { from: bucket.isInRange ? Math.max(range.from, bucket.from) : bucket.from, to: Math.min(last, bucket.to) }
}

const labelsAsked = (breakdown: TrendActorsQuery['breakdown']): string[] | undefined =>
  breakdown === undefined ? undefined : (Array.isArray(breakdown) ? breakdown : [breakdown]).map(String)

function eventActors(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  point: Pick<DateRange, 'from' | 'to'>,
  asked: string[] | undefined,
  groupIndex: number | undefined,
): Fragment {
  const scope = scopeOf(plan, point)
  const actor = scope.actor(groupIndex)
  const { labels, conditions } = breakdownLabels(plan, scope, series, range)
  const where = and([
    ...eventConditions(plan, scope, series.node, point),
    ...conditions,
    ...scope.hasActor(groupIndex),
    ...(asked === undefined || plan.breakdown === undefined ? [] : [sql`${labels} = ${strings(asked)}`]),
    ...(isPropertyMath(series.math) && series.node.math_property !== '$session_duration'
      ? [sql`isNotNull(${mathValue(scope, series.node)})`]
      : []),
  ])
  return sql`SELECT ${actor} AS actor, ${matchColumns}
FROM ${scope.from()}
WHERE ${where}
GROUP BY actor`
}

function firstActors(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  range: DateRange,
  point: Pick<DateRange, 'from' | 'to'>,
  asked: string[] | undefined,
): Fragment {
  return sql`SELECT actor, 1 AS event_count, [first_event.3] AS matches
FROM (${firstEvents(plan, series, range, matchedEvent)})
WHERE first_event.1 AND first_at >= ${moment(Math.max(range.from, point.from))} AND first_at < ${moment(point.to + 1)}
  AND ${asked === undefined || plan.breakdown === undefined ? sql`1` : sql`first_event.2 = ${strings(asked)}`}`
}
