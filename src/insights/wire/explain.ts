import type { ExplainedStatement } from '../../contract/results/index.ts'
import type { Asked } from '../run/statement-runner.ts'

/** The statements behind an answer, with what they cost. */
export const explainOnWire = (asked: readonly Asked[]): ExplainedStatement[] =>
  asked.map(({ statement, rowsRead, elapsedMs }) => ({
    sql: statement.query,
    parameters: statement.query_params,
    rows_read: rowsRead,
    elapsed_ms: elapsedMs,
  }))
