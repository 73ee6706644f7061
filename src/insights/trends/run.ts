import type { InsightContext } from '../context.ts'
import type { Conversation } from '../engine.ts'
import type { TrendsQuery } from '../parse/query-schema.ts'
import { assembleTrends } from './assemble.ts'
import { withBins } from './bins.ts'
import { planTrends } from './plan.ts'
import type { TrendsResult } from './result.ts'
import { type TrendRow, trendsStatement } from './statement.ts'

export async function runTrends(
  query: TrendsQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<TrendsResult> {
  const plan = await withBins(await planTrends(query, context, conversation), conversation)
  const statement = trendsStatement(plan)
  const rows = statement === undefined ? [] : await conversation.ask<TrendRow>(statement)
  return assembleTrends(plan, rows)
}
