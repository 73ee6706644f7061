import type { LifecycleQuery, SeriesNode } from '../../../contract/queries/index.ts'
import type { InsightContext } from '../../facts/context.ts'
import { type Plan, planCommon } from '../../plan/plan.ts'
import type { Conversation } from '../../run/statement-runner.ts'

export interface LifecyclePlan extends Plan {
  readonly query: LifecycleQuery
  /** A lifecycle is about one series, the first. */
  readonly node: SeriesNode | undefined
}

export async function planLifecycle(
  query: LifecycleQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<LifecyclePlan> {
  const [node] = query.series
  const common = await planCommon(query, query.interval, context, conversation)
  // Persons have a first day; groups and sessions are not asked for theirs.
  return { ...common, groupIndex: undefined, query, node }
}
