/** In how many intervals actors were active, in SQL. */
import { and, type Fragment, join, sql, str, uint } from '../../../engines/clickhouse-sql.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { indexOfInterval, intervalOf } from '../../sql/interval-index.ts'
import { whole } from '../../sql/whole.ts'
import type { StickinessPlan } from './plan.ts'

export interface StickinessRow {
  readonly series: number
  readonly period: string
  readonly intervals: number
  readonly actors: number
}

/** Undefined when there is no series to ask about. */
export function stickinessStatement(plan: StickinessPlan): Fragment | undefined {
  const parts = plan.periods.flatMap(({ label, range }) =>
    plan.series.map(
      (series) => sql`SELECT ${uint(series.index)} AS series, ${str(label)} AS period, intervals, count() AS actors
FROM (${activeIntervals(plan, series, range)})
GROUP BY intervals`,
    ),
  )
  return parts.length === 0 ? undefined : join(parts, ' UNION ALL ')
}

type Series = StickinessPlan['series'][number]

/** Whoever comes back: the person, the group, or what an expression says of an event. */
export const stickyActor = (scope: EventScope, { node, groupIndex, index }: Series): Fragment =>
  node.math === 'hogql'
    ? sql`ifNull(toString(${scope.expression(node.math_hogql ?? '', ['series', index, 'math_hogql'])}), '')`
    : scope.actor(groupIndex)

export const hasStickyActor = (scope: EventScope, series: Series): Fragment[] =>
  series.node.math === 'hogql' ? [sql`${stickyActor(scope, series)} != ''`] : scope.hasActor(series.groupIndex)

/** One row an actor: actor, intervals (in how many it was active). */
export function activeIntervals(
  plan: StickinessPlan,
  series: StickinessPlan['series'][number],
  range: DateRange,
): Fragment {
  const scope = scopeOf(plan, range)
  const actor = stickyActor(scope, series)
  const intervals = { starts: range.buckets, interval: range.interval }
  const where = and([...eventConditions(plan, scope, series.node, range), ...hasStickyActor(scope, series)])
  const place = sql`intDiv(${indexOfInterval(sql`bucket`, intervals, plan.clock)} - 1, ${whole(plan.together)})`
  return sql`SELECT actor, count() AS intervals
FROM (
  SELECT actor, ${place} AS place, sum(events) AS events
  FROM (
    SELECT ${actor} AS actor, ${intervalOf(sql`e.timestamp`, intervals, plan.clock)} AS bucket, count() AS events
    FROM ${scope.from()}
    WHERE ${where}
    GROUP BY actor, bucket
  )
  GROUP BY actor, place
  HAVING ${oftenEnough(plan)}
)
GROUP BY actor`
}

function oftenEnough({ query }: StickinessPlan): Fragment {
  const criteria = query.stickinessFilter?.stickinessCriteria
  if (criteria === undefined) return sql`1`
  const value = whole(criteria.value)
  if (criteria.operator === 'exact') return sql`events = ${value}`
  return criteria.operator === 'gte' ? sql`events >= ${value}` : sql`events <= ${value}`
}
