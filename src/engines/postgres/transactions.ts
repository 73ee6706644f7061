import { backoffMs } from '../../lib/backoff.ts'
import { pause } from '../../lib/pause.ts'
import { connectionLost, isRetryable } from './retryable.ts'
import type { Sql, TransactionSql } from './sql.ts'

interface TransactionOptions {
  /**
   * How often to try again; twelve tries with growing pauses bridge more than five seconds, a restart of the server.
   */
  readonly retries?: number
  /**
   * The work may run twice. After a connection lost during COMMIT it is unknown whether it happened: only with this
   * option is the transaction run again, otherwise the error is thrown.
   */
  readonly idempotent?: boolean
}

/** Runs `work` in a transaction, and again when it was rolled back because of others or of the connection. */
export async function inTransaction<T>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<T>,
  { retries = 12, idempotent = false }: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    let committing = false
    try {
      return await sql.begin(async (tx) => {
        const result = await work(tx)
        committing = true
        return result
      })
    } catch (error) {
      const unknownOutcome = committing && connectionLost(error) && !idempotent
      if (attempt >= retries || unknownOutcome || !isRetryable(error)) throw error
      await pause(backoffMs(attempt, { firstMs: 20, longestMs: 1_000 }))
    }
  }
}
