import { setTimeout as delay } from 'node:timers/promises'
import type { Sql, TransactionSql } from './client.ts'

/** The transaction was rolled back because of others beside it: serialisation failure, deadlock. */
const LOST_TO_OTHERS = new Set(['40001', '40P01'])

/** The server or the way to it went away: SQL states, the client library's codes, the system's codes. */
const CONNECTION_LOST = new Set([
  ...['57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08004', '08006'],
  ...['CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'CONNECTION_CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN'],
])

const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? ''
const connectionLost = (error: unknown): boolean => CONNECTION_LOST.has(codeOf(error))

/** Whether the same statement or transaction may well succeed a moment later. */
export const isRetryable = (error: unknown): boolean => LOST_TO_OTHERS.has(codeOf(error)) || connectionLost(error)

export interface TransactionOptions {
  /** How often to try again; eight tries with growing pauses bridge about three seconds, a restart of the server. */
  readonly retries?: number
  /**
   * Doing it twice is the same as doing it once. A connection lost during COMMIT leaves open whether it happened: only then is the
   * transaction run again, otherwise the error is thrown.
   */
  readonly idempotent?: boolean
}

/** Runs `work` in a transaction, and again when it was rolled back through no fault of its own. */
export async function inTransaction<T>(
  sql: Sql,
  work: (tx: TransactionSql) => Promise<T>,
  { retries = 8, idempotent = false }: TransactionOptions = {},
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    let committing = false
    try {
      // An object, because the library treats a returned array as a list of promises.
      const { result } = (await sql.begin(async (tx) => {
        const result = await work(tx)
        committing = true
        return { result }
      })) as { result: T }
      return result
    } catch (error) {
      const unknownOutcome = committing && connectionLost(error) && !idempotent
      if (attempt >= retries || unknownOutcome || !isRetryable(error)) throw error
      await delay(Math.min(20 * 2 ** attempt, 1_000) * (0.5 + Math.random() / 2))
    }
  }
}
