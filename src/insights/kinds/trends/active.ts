/**
 * Weekly and monthly active users over intervals shorter than that window: each actor counts for every bucket whose
 * window saw it.
 */

import type { Interval, SeriesMath } from '../../../contract/queries/index.ts'
import { and, type Fragment, int, moment, Param, sql, str, uint } from '../../../engines/clickhouse-sql.ts'
import { DAY } from '../../../lib/durations.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { isShort } from '../../plan/interval.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { breakdownLabels } from '../../sql/breakdown.ts'
import { bucketKey, bucketOf } from '../../sql/time.ts'
import type { TrendSeriesPlan, TrendsPlan } from './plan.ts'

export type ActiveDays = 7 | 30

export const activeDays = (math: SeriesMath): ActiveDays | undefined =>
  math === 'weekly_active' ? 7 : math === 'monthly_active' ? 30 : undefined

/** Whether the window slides over the buckets; over intervals as long as itself it is a plain distinct count. */
export const slides = (interval: Interval, days: ActiveDays): boolean =>
  isShort(interval) || interval === 'day' || (interval === 'week' && days === 30)

/**
 * An event counts for the bucket that starts at d when it lies after d - (days - 1) and not after d + 1 day. Shifted
 * back by a microsecond, all events of one day (or hour) count for the same buckets.
 */
export function activeMeasure(plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange, days: ActiveDays): Fragment {
  // A day more than the window: days before a change of clocks may be longer.
  const wide = { ...range, from: range.from - days * DAY }
  const scope = scopeOf(plan, wide)
  const actor = scope.actor(plan.groupIndex)
  const { labels, andLabels, conditions } = breakdownLabels(plan, scope, series, range)
  const where = and([
    ...eventConditions(plan, scope, series.node, wide),
    ...conditions,
    ...scope.hasActor(plan.groupIndex),
  ])
  const zone = plan.clock.timezone
  const shifted = sql`(e.timestamp - toIntervalMicrosecond(1))`
  const slot = bucketOf(shifted, isShort(range.interval) ? range.interval : 'day', zone, plan.clock.weekStart)
  const source = sql`FROM ${scope.from()} WHERE ${where}`
  if (range.interval === 'day') {
    const firstDay = sql`toDate(${moment(range.from)}, ${str(zone)})`
    return byDay(
      sql`SELECT ${labels} AS labels, ${actor} AS actor, arraySort(groupUniqArray(${slot})) AS days ${source} GROUP BY actor${andLabels}`,
      firstDay,
      days,
    )
  }
  return sql`SELECT bucket, labels, uniqExactMerge(actors) AS value
FROM (
  SELECT labels, actors, arrayJoin(${bucketsOf(range, days, zone)}) AS bucket
  FROM (
    SELECT ${slot} AS slot, ${labels} AS labels, uniqExactState(${actor}) AS actors
    ${source}
    GROUP BY slot${andLabels}
  )
)
GROUP BY bucket, labels`
}

/**
 * Each active day of an actor keeps it active until its next one, at most for the length of the window: one comes, one
 * goes. The running sum of comings and goings is how many are active, on the days that see a change; a day without one
 * is as the day before.
 */
const byDay = (daysOfActors: Fragment, firstDay: Fragment, days: ActiveDays): Fragment => sql`SELECT bucket, labels,
  sum(change) OVER (PARTITION BY labels ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS value
FROM (
  SELECT labels, greatest(point.1, ${firstDay}) AS bucket, sum(point.2) AS change
  FROM (
    SELECT labels, arrayJoin(arrayConcat(
      arrayMap(day -> (day, 1), days),
      arrayMap((day, next) -> (least(day + ${uint(days)}, next), -1), days, arrayPushBack(arrayPopFront(days), days[-1] + ${uint(days)}))
    )) AS point
    FROM (${daysOfActors})
  )
  GROUP BY labels, bucket
  HAVING change != 0
)`

/** The buckets whose window holds a slot. */
function bucketsOf(range: DateRange, days: ActiveDays, zone: string): Fragment {
  const keys = range.buckets.map((start) => bucketKey(start, range.interval, zone))
  if (isShort(range.interval)) {
    const [before, after] = [int(((days - 1) * DAY) / 1000), int(DAY / 1000)]
    const starts = new Param('Array(Int64)', keys.map(Number))
    return sql`arrayFilter(start -> slot < start + ${after} AND slot >= start - ${before}, ${starts})`
  }
  return sql`arrayFilter(day -> slot <= day AND slot > day - ${int(days)}, ${new Param('Array(Date)', keys)})`
}
