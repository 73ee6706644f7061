/** In how many intervals of the range actors were active: how many in exactly one, in two, and so on. */

import type { SeriesNode, StickinessQuery } from '../../../contract/queries/index.ts'
import { and, type Fragment, join, sql, str, uint } from '../../../engines/clickhouse/index.ts'
import { groupBy } from '../../../lib/group-by.ts'
import type { InsightContext } from '../../facts/context.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { eventConditions, scopeOf } from '../../plan/plan.ts'
import type { Conversation } from '../../run/statement-runner.ts'
import { indexOfInterval, intervalOf } from '../../sql/interval-index.ts'
import { whole } from '../../sql/whole.ts'
import { intervalsIn, planStickiness, type StickinessPeriod, type StickinessPlan } from './plan.ts'

interface StickinessSeries {
  readonly index: number
  readonly node: SeriesNode
  readonly period: StickinessPeriod
  readonly data: readonly number[]
}

export interface StickinessResult {
  readonly kind: 'StickinessQuery'
  readonly plan: StickinessPlan
  readonly series: readonly StickinessSeries[]
}

interface Row {
  readonly series: number
  readonly period: string
  readonly intervals: number
  readonly actors: number
}

export async function runStickiness(
  query: StickinessQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<StickinessResult> {
  const plan = await planStickiness(query, context, conversation)
  const parts = plan.periods.flatMap(({ label, range }) =>
    plan.series.map(
      (series) => sql`SELECT ${uint(series.index)} AS series, ${str(label)} AS period, intervals, count() AS actors
FROM (${activeIntervals(plan, series, range)})
GROUP BY intervals`,
    ),
  )
  const rows = parts.length === 0 ? [] : await conversation.ask<Row>(join(parts, ' UNION ALL '))
  const found = groupBy(rows, ({ series, period }) => `${series} ${period}`)
  const series = plan.periods.flatMap((period) =>
    plan.series.map(({ index, node }) => ({
      index,
      node,
      period,
      data: dataOf(plan, period.range, found.get(`${index} ${period.label}`) ?? []),
    })),
  )
  return { kind: 'StickinessQuery', plan, series }
}

function dataOf(plan: StickinessPlan, range: DateRange, rows: readonly Row[]): number[] {
  const actors = new Map(rows.map((row) => [row.intervals, row.actors]))
  const exactly = Array.from({ length: intervalsIn(plan, range) }, (_, at) =>
    Math.round((actors.get(at + 1) ?? 0) / (plan.sampling ?? 1)),
  )
  if (!plan.cumulative) return exactly
  return exactly.map((_, at) => exactly.slice(at).reduce((sum, each) => sum + each, 0))
}

/** One row an actor: actor, intervals (in how many it was active). */
export function activeIntervals(
  plan: StickinessPlan,
  series: StickinessPlan['series'][number],
  range: DateRange,
): Fragment {
  const scope = scopeOf(plan, range)
  const actor = scope.actor(series.groupIndex)
  const intervals = { starts: range.buckets, interval: range.interval }
  const where = and([...eventConditions(plan, scope, series.node, range), ...scope.hasActor(series.groupIndex)])
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
