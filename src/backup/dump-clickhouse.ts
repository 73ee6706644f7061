import { type ClickHouse, isUnavailable, sql, str } from '../engines/clickhouse/index.ts'
import { MINUTE } from '../lib/durations.ts'
import type { Logger } from '../lib/logger.ts'
import { pause } from '../lib/pause.ts'
import { appliedMigrations, cloneOf } from './clickhouse-tables.ts'
import type { Manifest } from './manifest.ts'
import type { WriteFile } from './packed-file.ts'

/** No time limit, because the disk may be slow; one thread, because queries need the others. */
const UNHURRIED = { maxSeconds: 0, settings: { max_threads: 1 } }

/** Reading this file may be what ends the engine: then it is not read for ever. */
const TRIES = 3
/** The embedded engine starts within seconds, a server when its owner starts it. */
const BACK_WITHIN_MS = 5 * MINUTE
const LOOK_MS = 250

interface DumpOptions {
  readonly tables: readonly string[]
  readonly write: WriteFile
  readonly log: Logger
  /** Aborts when there is nothing left to read, because the service has ended. */
  readonly signal: AbortSignal
}

/**
 * Writes every table from its clone, one file for each partition, in ClickHouse's native format.
 *
 *   reading  a file is written
 *            -> away     ClickHouse does not answer: the service starts one that ended again, and its clones are
 *                        still there
 *   away     -> reading  it is back: the file is written again from its beginning
 *            -> failed   it did not come back in time, or ended again and again
 */
export async function dumpClickHouse(clickhouse: ClickHouse, options: DumpOptions): Promise<Manifest['clickhouse']> {
  const dumped: Manifest['clickhouse']['tables'] = []
  for (const name of options.tables) {
    const { rows: pieces } = await untilRead(clickhouse, options, () =>
      clickhouse.query<{ partition: string; rows: number }>(
        sql`SELECT _partition_id AS partition, count() AS rows FROM ${cloneOf(name)} GROUP BY partition ORDER BY partition`,
        UNHURRIED,
      ),
    )
    const written = []
    for (const { partition, rows } of pieces) {
      const all = sql`SELECT * FROM ${cloneOf(name)} WHERE _partition_id = ${str(partition)}`
      const file = await untilRead(clickhouse, options, () =>
        options.write(`clickhouse/${name}/${partition}.native.gz`, clickhouse.native(all, UNHURRIED)),
      )
      written.push({ partition, rows, file })
    }
    dumped.push({ name, pieces: written })
  }
  return untilRead(clickhouse, options, async () => {
    const { rows } = await clickhouse.query<{ version: string }>(sql`SELECT version() AS version`)
    return { server: rows[0]?.version ?? '', migrations: await appliedMigrations(clickhouse), tables: dumped }
  })
}

async function untilRead<T>(clickhouse: ClickHouse, { log, signal }: DumpOptions, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (!isUnavailable(error) || attempt === TRIES) throw error
      log.warn({ error: error.message }, 'the backup waits for ClickHouse, which does not answer')
      await untilBack(clickhouse, signal)
    }
  }
}

async function untilBack(clickhouse: ClickHouse, signal: AbortSignal): Promise<void> {
  for (const end = Date.now() + BACK_WITHIN_MS; ; ) {
    await pause(LOOK_MS, signal)
    signal.throwIfAborted()
    try {
      await clickhouse.query(sql`SELECT 1`)
      return
    } catch (error) {
      if (!isUnavailable(error) || Date.now() > end) throw error
    }
  }
}
