import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import { brotliCompress, brotliCompressSync, brotliDecompress, constants } from 'node:zlib'
import type { Sql, Statements, TransactionSql } from './postgres/index.ts'

/**
 * The outbox: inserts for ClickHouse that a Postgres transaction has decided. The transaction writes them down
 * (`enqueue`); after the commit the rows are sent and the entry is deleted (`dequeue`). After a crash in between,
 * `flushQueue` sends the same rows again under the same token, and ClickHouse recognises the token. Each queue has one
 * flusher, which keeps it in order.
 */
export interface OutboxInsert {
  readonly table: string
  /** Identifies these rows: ClickHouse inserts rows under one token once. */
  readonly token: string
  readonly rows: Buffer
}

interface PendingInsert extends OutboxInsert {
  readonly id: number
}

/** The part of a ClickHouse client the outbox needs. */
interface ClickHouseInserter {
  insert(table: string, rows: Buffer, options: { readonly token: string }): Promise<void>
}

const PAGE = 16

/** Writes inserts into a queue, in one statement of the caller's transaction. Returns their ids, for `dequeue`. */
export async function enqueue(tx: TransactionSql, queue: string, inserts: readonly OutboxInsert[]): Promise<number[]> {
  if (inserts.length === 0) return []
  const values = await Promise.all(
    inserts.map(async ({ table, token, rows }) => ({ lane: queue, table_name: table, token, rows: await pack(rows) })),
  )
  const written = await tx<{ id: number }[]>`INSERT INTO clickhouse_outbox ${tx(values)} RETURNING id`
  return written.map(({ id }) => id)
}

/** The oldest inserts of a queue that have not been delivered, oldest first. */
export async function pending(sql: Statements, queue: string, limit: number = PAGE): Promise<PendingInsert[]> {
  const found = await sql<PendingInsert[]>`
    SELECT id, table_name AS table, token, rows FROM clickhouse_outbox WHERE lane = ${queue} ORDER BY id LIMIT ${limit}`
  return await Promise.all(found.map(async (insert) => ({ ...insert, rows: await unpack(insert.rows) })))
}

/** The rows are in ClickHouse: deletes the entries. */
export async function dequeue(sql: Statements, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`DELETE FROM clickhouse_outbox WHERE id = ANY(${ids as number[]}::bigint[])`
}

/**
 * Sends the pending inserts of a queue, oldest first, and returns how many. Stops at the first that fails, and keeps
 * it.
 */
export async function flushQueue(options: {
  readonly sql: Sql
  readonly clickhouse: ClickHouseInserter
  readonly queue: string
}): Promise<number> {
  const { sql, clickhouse, queue } = options
  let sent = 0
  for (let page = await pending(sql, queue); page.length > 0; page = await pending(sql, queue)) {
    for (const { id, table, token, rows } of page) {
      await clickhouse.insert(table, rows, { token })
      await dequeue(sql, [id])
      sent += 1
    }
  }
  return sent
}

/**
 * Rows go to Postgres as hexadecimal text and are logged, stored and vacuumed there, so compressing them pays: 2 MB of
 * events shrink to a fifth in 5 ms (Brotli's fast levels; deflate takes 15), which is less than sending them
 * uncompressed costs.
 */
const packing = (rows: Buffer) => ({
  chunkSize: 1 << 18,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_SIZE_HINT]: rows.length,
  },
})

/**
 * The pipeline's thread compresses synchronously: libuv's pool is shared, and the log's writes would wait behind it.
 */
const pack = (rows: Buffer): Buffer | Promise<Buffer> =>
  isMainThread ? promisify(brotliCompress)(rows, packing(rows)) : brotliCompressSync(rows, packing(rows))

const unpack = promisify(brotliDecompress) as (packed: Buffer) => Promise<Buffer>
