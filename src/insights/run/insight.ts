/** A typed Query to its answer: plan, ask, assemble. The only way from a question to the engine. */

import type { Query } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { NO_DEFINITIONS } from '../definitions/definitions.ts'
import { withActions } from '../definitions/fill-actions.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { type InsightResult, kindOf } from '../kinds/table.ts'
import { type Asked, Conversation, ROWS_OF_AN_INSIGHT } from './statement-runner.ts'

export type { InsightResult } from '../kinds/table.ts'

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
  asked: Query,
  options: RunOptions = {},
): Promise<InsightAnswer> {
  const query = withActions(asked, context.definitions ?? NO_DEFINITIONS)
  const kind = kindOf(query.kind)
  if (kind === undefined) throw new InvalidQuery(`${query.kind} cannot be answered yet.`, ['query', 'kind'])
  const conversation = new Conversation(context.clickhouse, options.signal, ROWS_OF_AN_INSIGHT)
  const result = await kind.run(query, context, conversation)
  return {
    query,
    result,
    asked: conversation.asked,
    rowsRead: conversation.asked.reduce((total, { rowsRead }) => total + rowsRead, 0),
    elapsedMs: conversation.asked.reduce((total, { elapsedMs }) => total + elapsedMs, 0),
  }
}
