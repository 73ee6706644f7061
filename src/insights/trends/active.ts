/** Weekly and monthly active users over intervals shorter than that window: each actor counts for every bucket whose window saw it. */
import { and, type Fragment, int, moment, Param, sql, str } from '../../engines/clickhouse/index.ts'
import type { DateRange } from '../plan/date-range.ts'
import { isShort } from '../plan/interval.ts'
import { eventConditions, scopeOf } from '../plan/plan.ts'
import { DAY } from '../plan/zone.ts'
import { breakdownLabels } from '../sql/breakdown.ts'
import { bucketKey, bucketOf } from '../sql/time.ts'
import type { TrendSeriesPlan, TrendsPlan } from './plan.ts'

export type ActiveDays = 7 | 30

/**
 * An event counts for the bucket that starts at d when it lies after d - (days - 1) and not after d + 1 day. Shifted back by a microsecond,
 * all events of one day (or hour) count for the same buckets, so their actors are put together first.
 */
export function activeMeasure(plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange, days: ActiveDays): Fragment {
  // A day more than the window: days before a change of clocks may be longer.
  const wide = { ...range, from: range.from - days * DAY }
  const scope = scopeOf(plan, wide)
  const actor = scope.actor(plan.groupIndex)
  const { labels, conditions } = breakdownLabels(plan, scope, series, range)
  const where = and([
    ...eventConditions(plan, scope, series.node, wide),
    ...conditions,
    ...scope.hasActor(plan.groupIndex),
  ])
  const zone = plan.clock.timezone
  const shifted = sql`(e.timestamp - toIntervalMicrosecond(1))`
  const slot = bucketOf(shifted, isShort(range.interval) ? range.interval : 'day', zone, plan.clock.weekStart)
  const firstDay = sql`toDate(${moment(range.from)}, ${str(zone)})`
  return sql`SELECT bucket, labels, uniqExactMerge(actors) AS value
FROM (
  SELECT labels, actors, arrayJoin(${bucketsOf(range, days, zone)}) AS bucket
  FROM (
    SELECT ${slot} AS slot, ${labels} AS labels, uniqExactState(${actor}) AS actors
    FROM ${scope.from()}
    WHERE ${where}
    GROUP BY slot, labels
  )
)
WHERE ${range.interval === 'day' ? sql`bucket >= ${firstDay}` : sql`1`}
GROUP BY bucket, labels`
}

/** The buckets whose window holds a slot. */
function bucketsOf(range: DateRange, days: ActiveDays, zone: string): Fragment {
  if (range.interval === 'day') return sql`arrayMap(n -> slot + n, range(${new Param('UInt8', days)}))`
  const keys = range.buckets.map((start) => bucketKey(start, range.interval, zone))
  if (isShort(range.interval)) {
    const [before, after] = [int(((days - 1) * DAY) / 1000), int(DAY / 1000)]
    const starts = new Param('Array(Int64)', keys.map(Number))
    return sql`arrayFilter(start -> slot < start + ${after} AND slot >= start - ${before}, ${starts})`
  }
  return sql`arrayFilter(day -> slot <= day AND slot > day - ${int(days)}, ${new Param('Array(Date)', keys)})`
}
