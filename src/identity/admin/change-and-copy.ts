import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { dequeue, enqueue } from '../../engines/outbox.ts'
import { inTransaction, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { ndjson } from '../../events/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { uuidV7 } from '../../lib/uuid.ts'

/**
 * The outbox queue of changes made through the API. A job sends what a crash or an outage of ClickHouse left behind.
 */
export const API_QUEUE = 'api'

/** Rows for the copies in ClickHouse, by table. */
export type CopiedRows = Readonly<Record<string, readonly object[]>>

/**
 * Makes a change in Postgres that has a copy in ClickHouse. The rows are enqueued in the transaction of the change and
 * sent right after it, so that the next query sees them; if they cannot be sent now, they stay in the outbox.
 */
export async function changeAndCopy<T>(
  { sql, clickhouse, log }: { readonly sql: Sql; readonly clickhouse: ClickHouse; readonly log: Logger },
  change: (tx: TransactionSql) => Promise<{ result: T; rows: CopiedRows }>,
): Promise<T> {
  const { result, inserts, ids } = await inTransaction(sql, async (tx) => {
    const { result, rows } = await change(tx)
    const token = `${API_QUEUE}:${uuidV7()}`
    const inserts = Object.entries(rows)
      .filter(([, copied]) => copied.length > 0)
      .map(([table, copied]) => ({ table, token: `${token}:${table}`, rows: ndjson(copied) }))
    return { result, inserts, ids: await enqueue(tx, API_QUEUE, inserts) }
  })
  try {
    for (const { table, rows, token } of inserts) await clickhouse.insert(table, rows, { token })
    await dequeue(sql, ids)
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'a change waits for ClickHouse')
  }
  return result
}
