/** A lifecycle as SQL that people read: who is new, returns, comes back or stays away, interval by interval. */

import { planConditions, seriesParts } from '../../as-sql/conditions.ts'
import { notInSql, together, where } from '../../as-sql/text.ts'
import { moment, one, startOf, within } from '../../as-sql/time.ts'
import { intervalBefore } from '../../sql/interval-index.ts'
import type { LifecycleResult } from './run.ts'

export function lifecycleSql({ plan }: LifecycleResult): string {
  const { node, range, clock } = plan
  if (node === undefined) return notInSql('It has no series.')
  const { interval } = range
  const [first = range.from] = range.buckets
  // Who was active in the interval before the first returns in it, or is dormant.
  const before = intervalBefore(first, 1, interval, clock)
  const start = startOf(interval, 'timestamp', clock)
  const events = where([
    ...within({ from: before, to: range.to }, clock),
    ...seriesParts(node, plan),
    ...planConditions(plan),
  ]).replaceAll('\n', '\n    ')
  const bounds = [`state.1 >= ${moment(first, clock)}`, `state.1 < ${moment(Math.floor(range.to) + 1, clock)}`]
  return together(
    [
      `SELECT state.1 AS ${interval}, state.2 AS status, count() AS people
FROM (
  SELECT
    activity.person_id AS person_id,
    activity.active AS active,
    ${startOf(interval, 'if(persons.id = activity.person_id, persons.created_at, activity.seen)', clock)} AS born,
    arrayJoin(arrayConcat(
      arrayMap(at -> tuple(at, multiIf(at = born, 'new', has(active, at - ${one(interval)}), 'returning', 'resurrecting')), active),
      arrayMap(at -> tuple(at + ${one(interval)}, 'dormant'), arrayFilter(at -> NOT has(active, at + ${one(interval)}), active))
    )) AS state
  FROM (
    SELECT person_id, arrayDistinct(groupArray(${start})) AS active, min(person.created_at) AS seen
    FROM events${events}
    GROUP BY person_id
  ) AS activity
  LEFT JOIN persons ON persons.id = activity.person_id
)${where(bounds)}
GROUP BY 1, 2`,
    ],
    '1, 2',
  )
}
