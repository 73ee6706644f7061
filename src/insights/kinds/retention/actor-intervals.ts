/**
 * Who came in which intervals, and in which they came back. One row an actor (and value of the breakdown) that came at
 * all: actor, labels, targets (the intervals in which it came) and returns.
 *
 * Of an actor that may come again and again, each value of a breakdown is looked at by itself: came with it, came back
 * with it. Whoever comes for the first time does so once, with the value it had then.
 */
import { and, type Fragment, join, moment, sql } from '../../../engines/clickhouse-sql.ts'
import { DAY, HOUR } from '../../../lib/durations.ts'
import { scopeOf } from '../../plan/plan.ts'
import { breakdownValue } from '../../sql/breakdown.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { conditionsOf } from '../../sql/filter.ts'
import { indexOfInterval, intervalOf } from '../../sql/interval-index.ts'
import { sampled } from '../../sql/sampling.ts'
import { nameConditions, seriesConditions } from '../../sql/series.ts'
import { whole } from '../../sql/whole.ts'
import type { RetentionPlan } from './plan.ts'

export const actorIntervals = (plan: RetentionPlan): Fragment =>
  plan.rolling ? rollingIntervals(plan) : calendarIntervals(plan)

/** What is asked of each event. Take `from` last. */
function eventsOf(plan: RetentionPlan) {
  const scope = scopeOf(plan)
  const { range, operators } = plan
  const actor = scope.actor(plan.groupIndex)
  const filters = conditionsOf(scope, plan.filters, operators)
  const inRange = sql`e.timestamp >= ${moment(range.from)}`
  const recurring = plan.type === 'retention_recurring'
  const fits = and([...seriesConditions(scope, plan.target, operators), ...filters])
  // The first ever is looked for by its name, and must then satisfy the filters itself.
  const firstEver = plan.type === 'retention_first_ever_occurrence'
  const isTarget = firstEver ? and(nameConditions(scope, plan.target, operators)) : fits
  const isReturn = and([...seriesConditions(scope, plan.returning, operators), ...filters, inRange])
  const labels = labelsOf(plan, scope)
  const where = and([
    scope.ofProject(),
    sql`e.timestamp < ${moment(range.to + 1)}`,
    recurring ? sql`${inRange} AND (${isTarget} OR ${isReturn})` : sql`${isTarget} OR ${isReturn}`,
    ...scope.hasActor(plan.groupIndex),
    ...sampled(scope, plan.sampling),
  ])
  // Of several first events at the same instant, one that fits.
  const first = (what: Fragment) => sql`argMinIf(${what}, (e.timestamp, NOT (${fits})), ${isTarget})`
  const byValue = recurring && plan.breakdown !== undefined
  return { from: scope.from(), where, actor, recurring, fits, isTarget, isReturn, labels, first, byValue }
}

function labelsOf({ breakdown }: RetentionPlan, scope: EventScope): Fragment {
  if (breakdown === undefined) return sql`CAST([], 'Array(String)')`
  const values = breakdown.parts.map((part) => breakdownValue(scope, part))
  return sql`[${join(values, ', ')}]`
}

/** By the calendar: first the intervals of an actor in which something happened, then all of an actor. */
function calendarIntervals(plan: RetentionPlan): Fragment {
  const { range, clock } = plan
  const { from, where, actor, recurring, fits, isTarget, isReturn, labels, first, byValue } = eventsOf(plan)
  const intervals = { starts: range.buckets, interval: range.interval }
  const place = indexOfInterval(sql`bucket`, intervals, clock)
  const key = byValue ? sql`, labels` : sql``
  const earliest = sql`argMinIf((place, first_fits, first_labels), first_at, came > 0)`
  const columns = recurring
    ? sql`${byValue ? sql`labels` : sql`${labels} AS labels`}, groupArrayIf(place, came > 0 AND place > 0) AS targets`
    : sql`${earliest}.3 AS labels, if(${earliest}.1 > 0 AND ${earliest}.2, [${earliest}.1], []) AS targets`
  const ofFirst = recurring
    ? sql``
    : sql`, minIf(e.timestamp, ${isTarget}) AS first_at, ${first(sql`toUInt8(${fits})`)} AS first_fits, ${first(labels)} AS first_labels`
  return sql`SELECT actor, ${columns}, groupArrayIf(place, returned >= ${whole(plan.minimumOccurrences)} AND place > 0) AS returns
FROM (
  SELECT *, ${place} AS place
  FROM (
    SELECT ${actor} AS actor${byValue ? sql`, ${labels} AS labels` : sql``}, ${intervalOf(sql`e.timestamp`, intervals, clock)} AS bucket,
      countIf(${isTarget}) AS came, countIf(${isReturn}) AS returned${ofFirst}
    FROM ${from}
    WHERE ${where}
    GROUP BY actor, bucket${key}
  )
)
GROUP BY actor${key}
HAVING notEmpty(targets)`
}

const LENGTH = { Hour: HOUR, Day: DAY, Week: 7 * DAY, Month: 30 * DAY }

/** From the moment an actor first came: so many times 24 hours (an hour, seven days, thirty days) later. */
function rollingIntervals(plan: RetentionPlan): Fragment {
  const { range, clock, minimumOccurrences } = plan
  const { from, where, actor, fits, isTarget, isReturn, labels, first, byValue } = eventsOf(plan)
  const intervals = { starts: range.buckets, interval: range.interval }
  const bucket = intervalOf(sql`fromUnixTimestamp64Micro(first_at, 'UTC')`, intervals, clock)
  const micros = sql`toInt64(toUnixTimestamp64Micro(e.timestamp))`
  const length = whole(LENGTH[plan.period] * 1000)
  const windows = sql`arrayMap(at -> intDiv(at - first_at, ${length}), arrayFilter(at -> at >= first_at, times))`
  const often =
    minimumOccurrences > 1
      ? sql`arrayFilter(window -> countEqual(windows, window) >= ${whole(minimumOccurrences)}, windows)`
      : sql`windows`
  return sql`SELECT actor, labels, [place] AS targets, arrayMap(window -> toUInt64(place + window), arrayDistinct(${often})) AS returns
FROM (
  SELECT actor, labels, ${indexOfInterval(bucket, intervals, clock)} AS place, first_fits, ${windows} AS windows
  FROM (
    SELECT ${actor} AS actor, ${byValue ? sql`${labels} AS labels` : sql`${first(labels)} AS labels`},
      minIf(${micros}, ${isTarget}) AS first_at, ${first(sql`toUInt8(${fits})`)} AS first_fits,
      countIf(${isTarget}) AS came, groupArrayIf(${micros}, ${isReturn}) AS times
    FROM ${from}
    WHERE ${where}
    GROUP BY actor${byValue ? sql`, labels` : sql``}
    HAVING came > 0
  )
)
WHERE place > 0 AND first_fits`
}
