/** Who came in which interval, and in which they came back, in SQL. Intervals are numbered from 1. */
import { and, type Fragment, moment, sql } from '../../engines/clickhouse/index.ts'
import { scopeOf } from '../plan/plan.ts'
import { conditionsOf } from '../sql/filter.ts'
import { indexOfInterval, intervalOf } from '../sql/interval-index.ts'
import { sampled } from '../sql/sampling.ts'
import { nameConditions, seriesConditions } from '../sql/series.ts'
import { whole } from '../sql/whole.ts'
import type { RetentionPlan } from './plan.ts'

/** Rows: came, after (intervals until the return, 0 for having come), actors. */
export const retentionStatement = (
  plan: RetentionPlan,
): Fragment => sql`SELECT cell.1 AS came, cell.2 AS after, count() AS actors
FROM (
  SELECT arrayJoin(arrayFlatten(arrayMap(start -> arrayMap(back -> (start, back - start), ${returnsOf(plan)}), targets))) AS cell
  FROM (${actorIntervals(plan)})
)
GROUP BY came, after`

/** Coming counts as the return after no interval. Cumulative: whoever comes back later is still there before. */
function returnsOf(plan: RetentionPlan): Fragment {
  const later = sql`arrayFilter(back -> back > start, returns)`
  if (!plan.cumulative) return sql`arrayPushBack(${later}, start)`
  return sql`arrayPushBack(range(start + 1, arrayMax(arrayPushBack(${later}, start)) + 1), start)`
}

/** One row an actor that came at all: actor, targets, returns. */
export function actorIntervals(plan: RetentionPlan): Fragment {
  const scope = scopeOf(plan)
  const { range, clock, groupIndex, operators } = plan
  const intervals = { starts: range.buckets, interval: range.interval }
  const actor = scope.actor(groupIndex)
  const filters = conditionsOf(scope, plan.filters, operators)
  const inRange = sql`e.timestamp >= ${moment(range.from)}`
  const firstEver = plan.type === 'retention_first_ever_occurrence'
  const fits = and([...seriesConditions(scope, plan.target, operators), ...filters])
  // The first ever is looked for by its name, and must then satisfy the filters itself.
  const isTarget = firstEver ? and(nameConditions(scope, plan.target, operators)) : fits
  const isReturn = and([...seriesConditions(scope, plan.returning, operators), ...filters, inRange])
  const recurring = plan.type === 'retention_recurring'
  const where = and([
    scope.ofProject(),
    sql`e.timestamp < ${moment(range.to + 1)}`,
    recurring ? sql`${inRange} AND (${isTarget} OR ${isReturn})` : sql`${isTarget} OR ${isReturn}`,
    ...scope.hasActor(groupIndex),
    ...sampled(scope, plan.sampling),
  ])
  const place = indexOfInterval(sql`bucket`, intervals, clock)
  const first = sql`argMinIf((place, first_fits), first_at, came > 0)`
  const targets = recurring
    ? sql`groupArrayIf(place, came > 0 AND place > 0)`
    : sql`if(${first}.1 > 0 AND ${first}.2, [${first}.1], [])`
  return sql`SELECT actor, ${targets} AS targets,
  groupArrayIf(place, returned >= ${whole(plan.minimumOccurrences)} AND place > 0) AS returns
FROM (
  SELECT actor, ${place} AS place, came, returned, first_at, first_fits
  FROM (
    SELECT ${actor} AS actor, ${intervalOf(sql`e.timestamp`, intervals, clock)} AS bucket, countIf(${isTarget}) AS came,
      countIf(${isReturn}) AS returned, minIf(e.timestamp, ${isTarget}) AS first_at,
      argMinIf(toUInt8(${fits}), (e.timestamp, NOT (${fits})), ${isTarget}) AS first_fits
    FROM ${scope.from()}
    WHERE ${where}
    GROUP BY actor, bucket
  )
)
GROUP BY actor
HAVING notEmpty(targets)`
}
