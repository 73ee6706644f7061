/** A typed Query to its answer: facts -> plan -> sql -> run -> result. */

import type { Query } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { NO_DEFINITIONS } from '../definitions/definitions.ts'
import { withActions } from '../definitions/fill-actions.ts'
import type { InsightContext, RunOptions } from '../facts/context.ts'
import { gatherFacts } from '../facts/gather.ts'
import { type InsightResult, kindOf } from '../kinds/table.ts'
import { type Asked, ROWS_OF_AN_INSIGHT, StatementRunner } from './statement-runner.ts'

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
  const runner = new StatementRunner(context.clickhouse, options.signal, ROWS_OF_AN_INSIGHT)
  const facts = await gatherFacts(kind.planned(query), context, runner, kind.patterns?.(query))
  const result = await kind.run(query, facts, runner)
  return {
    query,
    result,
    asked: runner.asked,
    rowsRead: runner.asked.reduce((total, { rowsRead }) => total + rowsRead, 0),
    elapsedMs: runner.asked.reduce((total, { elapsedMs }) => total + elapsedMs, 0),
  }
}
