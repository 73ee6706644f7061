import type { Asked } from '../engine.ts'

/** The statements behind an answer, with what they cost. */
export const explainOnWire = (asked: readonly Asked[]) =>
  asked.map(({ statement, rowsRead, elapsedMs }) => ({
    sql: statement.query,
    parameters: statement.query_params,
    rows_read: rowsRead,
    elapsed_ms: elapsedMs,
  }))
