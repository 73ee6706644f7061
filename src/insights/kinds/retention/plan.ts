/** A retention query, settled: who is meant by "came" and by "came back", and in which intervals. */

import { type Interval, NO_FILTERS, type RetentionQuery, type SeriesNode } from '../../../contract/queries/index.ts'
import { refuse } from '../../../lib/invalid-input.ts'
import { type Instant, toInstant, toLocal } from '../../../lib/zone.ts'
import type { Facts } from '../../facts/facts.ts'
import { type BreakdownPlan, planBreakdown } from '../../plan/breakdown.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { startOfInterval } from '../../plan/interval.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import { intervalBefore } from '../../sql/interval-index.ts'
import { type Bracket, bracketsOf } from './brackets.ts'

type RetentionType = 'retention_first_time' | 'retention_recurring' | 'retention_first_ever_occurrence'

export interface RetentionPlan extends Plan {
  readonly query: RetentionQuery
  readonly type: RetentionType
  readonly period: 'Hour' | 'Day' | 'Week' | 'Month'
  readonly target: SeriesNode
  readonly returning: SeriesNode
  readonly cumulative: boolean
  readonly minimumOccurrences: number
  /** Intervals are counted from the moment each actor came, not by the calendar. */
  readonly rolling: boolean
  /** Several intervals in one cell; each by itself when undefined. */
  readonly brackets: readonly Bracket[] | undefined
  readonly breakdown: BreakdownPlan | undefined
}

const INTERVAL = { Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' } as const
const DEFAULT_INTERVALS = 8
const MOST_INTERVALS = 100

type Entity = NonNullable<RetentionQuery['retentionFilter']>['targetEntity']

export function planRetention(query: RetentionQuery, facts: Facts): RetentionPlan {
  const filter = query.retentionFilter
  const rolling = filter?.timeWindowMode === '24_hour_windows'
  if (rolling && filter?.cumulative)
    refuse('Cumulative retention is not supported for 24 hour windows.', ['retentionFilter', 'cumulative'])
  if (filter?.aggregationType !== undefined && filter.aggregationType !== 'count')
    refuse('Retention counts actors; sums and averages are not supported.', ['retentionFilter', 'aggregationType'])
  const brackets = filter?.retentionCustomBrackets?.length ? bracketsOf(filter.retentionCustomBrackets) : undefined
  const covered = (brackets?.at(-1)?.to ?? 0) + 1
  if (covered > MOST_INTERVALS)
    refuse(`Brackets cover ${MOST_INTERVALS - 1} intervals at most.`, ['retentionFilter', 'retentionCustomBrackets'])
  const target = nodeOf(filter?.targetEntity)
  const returning = nodeOf(filter?.returningEntity)
  const period = filter?.period ?? 'Day'
  const common = planCommon(query, INTERVAL[period], facts)
  return {
    ...common,
    range: lastIntervals(common, filter?.totalIntervals ?? Math.max(DEFAULT_INTERVALS, covered), INTERVAL[period]),
    query,
    type: filter?.retentionType ?? 'retention_recurring',
    period,
    target,
    returning,
    cumulative: filter?.cumulative ?? false,
    minimumOccurrences: filter?.minimumOccurrences ?? 1,
    rolling,
    brackets,
    breakdown: planBreakdown(query.breakdownFilter),
  }
}

/** So many intervals, of which the end of the asked range is in the last. */
function lastIntervals({ range, clock }: Plan, count: number, interval: Interval): DateRange {
  const local = startOfInterval(toLocal(range.to, clock.timezone), interval, clock.weekStart)
  const last = toInstant(local, clock.timezone)
  const buckets: Instant[] = Array.from({ length: count }, (_, at) =>
    intervalBefore(last, count - 1 - at, interval, clock),
  )
  const from = buckets[0] ?? last
  return { ...range, from, to: intervalBefore(last, -1, interval, clock) - 1, interval, buckets }
}

/** Without an entity: page views. */
function nodeOf(entity: Entity): SeriesNode {
  const shared = {
    name: entity?.name,
    custom_name: entity?.custom_name,
    math: undefined,
    math_property: undefined,
    math_property_type: undefined,
    math_hogql: undefined,
    math_group_type_index: undefined,
    math_multiplier: undefined,
    properties: entity?.properties ?? NO_FILTERS,
    fixedProperties: NO_FILTERS,
    optionalInFunnel: false,
  }
  if (entity?.type === 'actions' || entity?.kind === 'ActionsNode') {
    return { ...shared, kind: 'ActionsNode', id: Number(entity.id), nodes: entity.nodes }
  }
  const event = entity === undefined ? '$pageview' : entity.id === undefined ? undefined : String(entity.id)
  return { ...shared, kind: 'EventsNode', event }
}
