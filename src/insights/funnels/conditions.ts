/** Which events a funnel looks at, and whose they are. */
import { and, type Fragment, sql } from '../../engines/clickhouse/index.ts'
import type { EventScope } from '../sql/event-scope.ts'
import { conditionsOf } from '../sql/filter.ts'
import { sampled } from '../sql/sampling.ts'
import { seriesConditions } from '../sql/series.ts'
import { within } from '../sql/time.ts'
import type { FunnelPlan } from './plan.ts'

/** Whoever tries. */
export const funnelActor = (plan: FunnelPlan, scope: EventScope): Fragment =>
  plan.bySession ? sql`e.session_id` : scope.actor(plan.groupIndex)

/** Conditions on all events of a funnel, steps or not. */
export function funnelConditions(plan: FunnelPlan, scope: EventScope): Fragment[] {
  return [
    scope.ofProject(),
    within(plan.range.from, plan.range.to),
    ...conditionsOf(scope, plan.filters, plan.operators),
    ...(plan.bySession ? [sql`e.session_id != ''`] : scope.hasActor(plan.groupIndex)),
    ...sampled(scope, plan.sampling),
  ]
}

export const stepConditions = (plan: FunnelPlan, scope: EventScope): Fragment[] =>
  plan.steps.map((node) => and(seriesConditions(scope, node, plan.operators)))
