import type { InsightContext } from '../context.ts'
import type { Conversation } from '../engine.ts'
import type { FunnelsQuery } from '../parse/query-schema.ts'
import { planFunnel } from './plan.ts'
import type { FunnelsResult } from './result.ts'
import { funnelSteps } from './steps.ts'
import { funnelTimes } from './times.ts'
import { funnelTrend } from './trend.ts'

export async function runFunnel(
  query: FunnelsQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<FunnelsResult> {
  const plan = await planFunnel(query, context, conversation)
  switch (plan.viz) {
    case 'steps':
      return funnelSteps(plan, conversation)
    case 'time_to_convert':
      return funnelTimes(plan, conversation)
    case 'trends':
      return funnelTrend(plan, conversation)
  }
}
