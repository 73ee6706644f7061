import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import { promise, settle } from '../../engines/outbox.ts'
import { inTransaction, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { ndjson } from '../../events/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { uuidV7 } from '../../lib/uuid.ts'

/** The lane of changes people make, through the API most of them. A job sends what was left behind by a crash or while ClickHouse was away. */
export const API_LANE = 'api'

/** Rows for the copies in ClickHouse, by table. */
export type CopiedRows = Readonly<Record<string, readonly object[]>>

/**
 * A change in Postgres that has copies in ClickHouse. The rows are promised in the transaction of the change and sent right after it, so
 * that the next question sees them; if they cannot be sent now, the promise holds.
 */
export async function changeAndCopy<T>(
  { sql, clickhouse, log }: { readonly sql: Sql; readonly clickhouse: ClickHouse; readonly log: Logger },
  change: (tx: TransactionSql) => Promise<{ result: T; rows: CopiedRows }>,
): Promise<T> {
  const { result, inserts, ids } = await inTransaction(sql, async (tx) => {
    const { result, rows } = await change(tx)
    const token = `${API_LANE}:${uuidV7()}`
    const inserts = Object.entries(rows)
      .filter(([, copied]) => copied.length > 0)
      .map(([table, copied]) => ({ table, token: `${token}:${table}`, rows: ndjson(copied) }))
    return { result, inserts, ids: await promise(tx, API_LANE, inserts) }
  })
  try {
    for (const { table, rows, token } of inserts) await clickhouse.insert(table, rows, { token })
    await settle(sql, ids)
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'a change waits for ClickHouse')
  }
  return result
}
