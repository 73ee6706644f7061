/** Which status a person has in which interval, in SQL. */

import type { SeriesNode } from '../../../contract/queries/index.ts'
import { and, type Fragment, sql, uint } from '../../../engines/clickhouse-sql.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import { type Intervals, indexOfInterval, intervalBefore, intervalOf } from '../../sql/interval-index.ts'
import { whole } from '../../sql/whole.ts'
import type { LifecyclePlan } from './plan.ts'

export const STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const
export type LifecycleStatus = (typeof STATUSES)[number]

/** Rows: status, place (1 is the first interval of the range), persons. */
export const lifecycleStatement = (plan: LifecyclePlan, node: SeriesNode): Fragment =>
  sql`SELECT status, place, count() AS persons FROM (${statuses(plan, node)}) GROUP BY status, place`

/** One row a person and interval in which it has a status: actor, status, place. */
export function statuses(plan: LifecyclePlan, node: SeriesNode): Fragment {
  const { range, clock } = plan
  const [first = range.from] = range.buckets
  // Who was active the interval before the first returns in it, or is dormant.
  const before = intervalBefore(first, 1, range.interval, clock)
  const intervals: Intervals = { starts: [before, ...range.buckets], interval: range.interval }
  const wide = { from: before, to: range.to }
  const scope = scopeOf(plan, wide)
  const person = scope.person()
  const where = and(eventConditions(plan, scope, node, wide))
  const bucket = intervalOf(sql`e.timestamp`, intervals, clock)
  const place = (time: Fragment) => indexOfInterval(time, intervals, clock)
  const born = intervalOf(
    sql`toDateTime64(if(current.known, current.created_at, seen_created_at), 6, 'UTC')`,
    intervals,
    clock,
  )
  return sql`SELECT actor, each.1 AS status, each.2 - 1 AS place
FROM (
  SELECT activity.actor AS actor, arrayJoin(arrayConcat(
    arrayMap(at -> (multiIf(at = born, 'new', has(active, at - 1), 'returning', 'resurrecting'), at), active),
    arrayMap(at -> ('dormant', at + 1), arrayFilter(at -> NOT has(active, at + 1), active)))) AS each
  FROM (
    SELECT actor, groupArray(${place(sql`bucket`)}) AS active, min(seen_created_at) AS seen_created_at
    FROM (
      SELECT ${person} AS actor, ${bucket} AS bucket, min(e.person_created_at) AS seen_created_at
      FROM ${scope.from()}
      WHERE ${where}
      GROUP BY actor, bucket
    )
    GROUP BY actor
  ) AS activity
  LEFT ANY JOIN (
    SELECT id, created_at, 1 AS known FROM persons FINAL WHERE project_id = ${uint(plan.projectId)} AND is_deleted = 0
  ) AS current ON current.id = activity.actor
  ARRAY JOIN [${place(born)}] AS born
)
WHERE place >= 1 AND place <= ${whole(range.buckets.length)}`
}
