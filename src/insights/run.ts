/** A typed Query to its answer: plan, ask, assemble. The only way from a question to the engine. */
import { ApiError } from '../http/errors.ts'
import type { InsightContext, RunOptions } from './context.ts'
import { type CorrelationResult, runCorrelation } from './correlation/run.ts'
import { type Asked, Conversation } from './engine.ts'
import type { FunnelsResult } from './funnels/result.ts'
import { runFunnel } from './funnels/run.ts'
import { type LifecycleResult, runLifecycle } from './lifecycle/run.ts'
import type { Query } from './parse/query-schema.ts'
import { type PathsResult, runPaths } from './paths/run.ts'
import { type RetentionResult, runRetention } from './retention/run.ts'
import { runStickiness, type StickinessResult } from './stickiness/run.ts'
import type { TrendsResult } from './trends/result.ts'
import { runTrends } from './trends/run.ts'

export type InsightResult =
  | TrendsResult
  | FunnelsResult
  | CorrelationResult
  | RetentionResult
  | LifecycleResult
  | StickinessResult
  | PathsResult

export interface InsightAnswer {
  readonly query: Query
  readonly result: InsightResult
  /** Every statement it took, with what it cost: what `explain` shows. */
  readonly asked: readonly Asked[]
  readonly rowsRead: number
  readonly elapsedMs: number
}

export async function runInsight(
  context: InsightContext,
  query: Query,
  options: RunOptions = {},
): Promise<InsightAnswer> {
  const conversation = new Conversation(context.clickhouse, options.signal)
  const result = await resultOf(context, query, conversation)
  return {
    query,
    result,
    asked: conversation.asked,
    rowsRead: conversation.asked.reduce((total, { rowsRead }) => total + rowsRead, 0),
    elapsedMs: conversation.asked.reduce((total, { elapsedMs }) => total + elapsedMs, 0),
  }
}

function resultOf(context: InsightContext, query: Query, conversation: Conversation): Promise<InsightResult> {
  switch (query.kind) {
    case 'TrendsQuery':
      return runTrends(query, context, conversation)
    case 'FunnelsQuery':
      return runFunnel(query, context, conversation)
    case 'FunnelCorrelationQuery':
      return runCorrelation(query, context, conversation)
    case 'RetentionQuery':
      return runRetention(query, context, conversation)
    case 'LifecycleQuery':
      return runLifecycle(query, context, conversation)
    case 'StickinessQuery':
      return runStickiness(query, context, conversation)
    case 'PathsQuery':
      return runPaths(query, context, conversation)
    default:
      throw new ApiError('invalid_input', `${query.kind} cannot be answered yet.`, { attr: 'query__kind' })
  }
}
