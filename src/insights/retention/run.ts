/** Of those who came in an interval, how many came back in each of the following. */
import type { InsightContext } from '../context.ts'
import type { Conversation } from '../engine.ts'
import type { RetentionQuery } from '../parse/query-schema.ts'
import { planRetention, type RetentionPlan } from './plan.ts'
import { retentionStatement } from './statement.ts'

export interface RetentionResult {
  readonly kind: 'RetentionQuery'
  readonly plan: RetentionPlan
  /** rows[i][j]: came in interval i and came back j intervals later. Row i is i cells shorter than the first. */
  readonly rows: readonly (readonly number[])[]
}

export async function runRetention(
  query: RetentionQuery,
  context: InsightContext,
  conversation: Conversation,
): Promise<RetentionResult> {
  const plan = await planRetention(query, context, conversation)
  const found = await conversation.ask<{ came: number; after: number; actors: number }>(retentionStatement(plan))
  const cells = new Map(found.map(({ came, after, actors }) => [`${came} ${after}`, actors]))
  const count = plan.range.buckets.length
  const rows = plan.range.buckets.map((_, row) =>
    Array.from({ length: count - row }, (_, after) =>
      Math.round((cells.get(`${row + 1} ${after}`) ?? 0) / (plan.sampling ?? 1)),
    ),
  )
  return { kind: 'RetentionQuery', plan, rows }
}
