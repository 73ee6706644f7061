import type { LifecycleQuery, SeriesNode } from '../../../contract/queries/index.ts'
import type { Facts } from '../../facts/facts.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'

export interface LifecyclePlan extends Plan {
  readonly query: LifecycleQuery
  /** A lifecycle is about one series, the first. */
  readonly node: SeriesNode | undefined
}

export function planLifecycle(query: LifecycleQuery, facts: Facts): LifecyclePlan {
  const [node] = query.series
  const common = planCommon(query, query.interval, facts)
  // Persons have a first day; groups and sessions are not asked for theirs.
  return { ...common, groupIndex: undefined, query, node }
}
