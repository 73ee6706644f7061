import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import { brotliCompress, brotliCompressSync, brotliDecompress, constants } from 'node:zlib'
import type { Sql, Statements, TransactionSql } from './postgres/index.ts'

/**
 * Promises made to ClickHouse. What a transaction decides about events is written down in it (`promise`); after the commit the rows are
 * sent and the promise is settled. After a crash in between, `flushLane` sends the same rows again under the same token, and ClickHouse
 * recognises the token. A lane is kept in order by having one flusher.
 */
export interface OutboxInsert {
  readonly table: string
  /** Names these rows for good: ClickHouse takes rows under one token once. */
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

/** Writes inserts into the lane, in one statement of the caller's transaction. Returns their ids, for `settle`. */
export async function promise(tx: TransactionSql, lane: string, inserts: readonly OutboxInsert[]): Promise<number[]> {
  if (inserts.length === 0) return []
  const values = await Promise.all(
    inserts.map(async ({ table, token, rows }) => ({ lane, table_name: table, token, rows: await pack(rows) })),
  )
  const written = await tx<{ id: number }[]>`INSERT INTO clickhouse_outbox ${tx(values)} RETURNING id`
  return written.map(({ id }) => id)
}

/** The oldest promises of a lane that are not settled, oldest first. */
export async function pending(sql: Statements, lane: string, limit: number = PAGE): Promise<PendingInsert[]> {
  const found = await sql<PendingInsert[]>`
    SELECT id, table_name AS table, token, rows FROM clickhouse_outbox WHERE lane = ${lane} ORDER BY id LIMIT ${limit}`
  return await Promise.all(found.map(async (insert) => ({ ...insert, rows: await unpack(insert.rows) })))
}

/** The rows are in ClickHouse: forgets the promises. */
export async function settle(sql: Statements, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await sql`DELETE FROM clickhouse_outbox WHERE id = ANY(${ids as number[]}::bigint[])`
}

/** Sends what a lane still owes, oldest first, and returns how many inserts that were. Stops at the first that fails, keeping it. */
export async function flushLane(options: {
  readonly sql: Sql
  readonly clickhouse: ClickHouseInserter
  readonly lane: string
}): Promise<number> {
  const { sql, clickhouse, lane } = options
  let sent = 0
  for (let page = await pending(sql, lane); page.length > 0; page = await pending(sql, lane)) {
    for (const { id, table, token, rows } of page) {
      await clickhouse.insert(table, rows, { token })
      await settle(sql, [id])
      sent += 1
    }
  }
  return sent
}

/**
 * Rows travel to Postgres as hexadecimal text and are logged, stored and vacuumed there, so they are worth packing: 2 MB of events shrink
 * to a fifth in 5 ms (Brotli's fast levels; deflate takes 15), which is less than sending them unpacked costs.
 */
const packing = (rows: Buffer) => ({
  chunkSize: 1 << 18,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_SIZE_HINT]: rows.length,
  },
})

/** A thread that yields to others packs by itself: the threads that work for all would do it before everybody's writes to the log. */
const pack = (rows: Buffer): Buffer | Promise<Buffer> =>
  isMainThread ? promisify(brotliCompress)(rows, packing(rows)) : brotliCompressSync(rows, packing(rows))

const unpack = promisify(brotliDecompress) as (packed: Buffer) => Promise<Buffer>
