/** Which events a funnel looks at, and whose they are. */

import type { SeriesNode } from '../../../contract/queries/index.ts'
import { and, type Fragment, moment, sql } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { EventScope } from '../../sql/event-scope.ts'
import { conditionsOf } from '../../sql/filter.ts'
import { sampled } from '../../sql/sampling.ts'
import { nameConditions, seriesConditions } from '../../sql/series.ts'
import { within } from '../../sql/time.ts'
import type { FunnelPlan } from './plan.ts'
import { eventNames, isFirstTime } from './same-step.ts'

/** Whoever tries. */
export const funnelActor = (plan: FunnelPlan, scope: EventScope): Fragment =>
  plan.bySession ? bySaid(plan, scope) : scope.actor(plan.groupIndex)

/** A session, or what an expression says: a text, empty for events that are of nobody. */
const bySaid = ({ byExpression }: FunnelPlan, scope: EventScope): Fragment =>
  byExpression === undefined
    ? sql`e.session_id`
    : sql`ifNull(toString(${scope.expression(byExpression, ['funnelsFilter', 'funnelAggregateByHogQL'])}), '')`

/** Conditions on all events of a funnel, steps or not. */
export function funnelConditions(plan: FunnelPlan, scope: EventScope): Fragment[] {
  return [
    scope.ofProject(),
    within(plan.range.from, plan.range.to),
    ...conditionsOf(scope, plan.filters, plan.operators),
    ...(plan.bySession ? [sql`${bySaid(plan, scope)} != ''`] : scope.hasActor(plan.groupIndex)),
    ...sampled(scope, plan.sampling),
  ]
}

export const stepConditions = (plan: FunnelPlan, scope: EventScope): Fragment[] =>
  plan.steps.map((node) => isOfStep(plan, scope, node))

const isOfStep = (plan: FunnelPlan, scope: EventScope, node: SeriesNode): Fragment =>
  and([
    ...seriesConditions(scope, node, plan.operators),
    ...(isFirstTime(node) ? [sql`e.uuid IN (${firstEvents(plan, node)})`] : []),
  ])

/**
 * Whoever never did the first step has no try. A strict funnel collects all events of an actor, so it must not collect
 * those of people who never began; a first step about all events leaves nobody out.
 */
export function hasBegun(plan: FunnelPlan, scope: EventScope): Fragment[] {
  const [first] = plan.steps
  if (first === undefined || eventNames(first) === undefined) return []
  const beginners = scopeOf(plan)
  const actor = funnelActor(plan, beginners)
  const where = and([...funnelConditions(plan, beginners), isOfStep(plan, beginners, first)])
  return [sql`${funnelActor(plan, scope)} IN (SELECT ${actor} FROM ${beginners.from()} WHERE ${where})`]
}

/**
 * The first such event that each person (or group) ever did, be it long before the range: by its name alone, or, when
 * the math says so, of those that satisfy the step's own filters.
 */
function firstEvents(plan: FunnelPlan, node: SeriesNode): Fragment {
  const scope = scopeOf(plan)
  const actor = scope.actor(plan.groupIndex)
  const satisfies = seriesConditions(scope, node, plan.operators)
  const byName = node.math === 'first_time_for_user'
  const where = and([
    scope.ofProject(),
    sql`e.timestamp < ${moment(Math.floor(plan.range.to) + 1)}`,
    ...(byName ? nameConditions(scope, node, plan.operators) : satisfies),
    ...scope.hasActor(plan.groupIndex),
  ])
  // Of several first events at the same instant, one that satisfies the filters.
  return sql`SELECT argMin(e.uuid, (e.timestamp, NOT (${and(satisfies)}), e.uuid)) FROM ${scope.from()} WHERE ${where} GROUP BY ${actor}`
}
