/** Weekly and monthly active users over intervals shorter than that window: each actor counts for every bucket whose window saw it. */
import { and, type Fragment, int, moment, Param, sql, str } from '../../engines/clickhouse/index.ts'
import type { DateRange } from '../plan/date-range.ts'
import { eventConditions, scopeOf } from '../plan/plan.ts'
import { DAY } from '../plan/zone.ts'
import { breakdownLabels } from '../sql/breakdown.ts'
import { bucketKey } from '../sql/time.ts'
import type { TrendSeriesPlan, TrendsPlan } from './plan.ts'

export type ActiveDays = 7 | 30

/**
 * An event counts for the bucket that starts at d when it lies after d - (days - 1) and not after d + 1 day. Shifting it back by a
 * microsecond makes both ends of that window fall on the start of a day.
 */
export function activeMeasure(plan: TrendsPlan, series: TrendSeriesPlan, range: DateRange, days: ActiveDays): Fragment {
  const wide = { ...range, from: range.from - (days - 1) * DAY }
  const scope = scopeOf(plan, wide)
  const actor = scope.actor(plan.groupIndex)
  const { labels, conditions } = breakdownLabels(plan, scope, series, wide)
  const where = and([
    ...eventConditions(plan, scope, series.node, wide),
    ...conditions,
    ...scope.hasActor(plan.groupIndex),
  ])
  const shifted = sql`(e.timestamp - toIntervalMicrosecond(1))`
  const zone = str(plan.clock.timezone)
  const byDay = range.interval === 'day'
  const slot = byDay
    ? sql`toDate(${shifted}, ${zone})`
    : sql`toUnixTimestamp64Milli(toDateTime64(${shifted}, 3, 'UTC'))`
  return sql`SELECT bucket, labels, uniqExact(actor) AS value
FROM (
  SELECT labels, actor, arrayJoin(${byDay ? daysOf(days) : bucketsOf(plan, range, days)}) AS bucket
  FROM (
    SELECT DISTINCT ${slot} AS slot, ${labels} AS labels, ${actor} AS actor
    FROM ${scope.from()}
    WHERE ${where}
  )
)
WHERE ${byDay ? sql`bucket >= toDate(${moment(range.from)}, ${zone})` : sql`1`}
GROUP BY bucket, labels`
}

const daysOf = (days: ActiveDays): Fragment => sql`arrayMap(n -> slot + n, range(${new Param('UInt8', days)}))`

/** The buckets whose window holds a moment. Starts in ms, keys as `bucketOf` makes them. */
function bucketsOf(plan: TrendsPlan, range: DateRange, days: ActiveDays): Fragment {
  const starts = new Param('Array(Int64)', range.buckets)
  const keys = new Param(
    'Array(String)',
    range.buckets.map((start) => bucketKey(start, range.interval, plan.clock.timezone)),
  )
  return sql`arrayFilter((key, start) -> slot < start + ${int(DAY)} AND slot >= start - ${int((days - 1) * DAY)}, ${keys}, ${starts})`
}
