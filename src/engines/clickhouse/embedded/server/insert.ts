import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BASE_SETTINGS, INSERT_SETTINGS } from '../config/engine-config.ts'
import type { WholeParts } from '../parts/whole-parts.ts'
import type { Scope } from '../sessions/engine-session.ts'
import type { SessionPool } from '../sessions/session-pool.ts'
import { literal } from '../sessions/set-statement.ts'
import { summary } from './answer.ts'
import type { RunningQueries } from './running.ts'
import { insertFromFile } from './statement.ts'

interface InsertJob {
  readonly statement: string
  readonly body: Readable
  readonly scope: Scope
  readonly queryId: string
  readonly abort: AbortController
  readonly response: ServerResponse
}

/**
 * Rows go to a temporary file first and from there into the table: an incomplete body inserts nothing, memory use does
 * not depend on its size, any format works, and the engine parses a file faster than a buffer. The file needs no fsync:
 * until the insert is acknowledged the sender still has the rows.
 */
export async function insertBody(
  services: {
    readonly writers: SessionPool
    readonly running: RunningQueries
    readonly wholeParts: WholeParts
    readonly spool: string
  },
  { statement, body, scope, queryId, abort, response }: InsertJob,
): Promise<void> {
  const name = `${randomUUID()}.rows`
  const file = path.join(services.spool, name)
  const fromFile = insertFromFile(statement, literal(name)) as string
  try {
    await pipeline(body, createWriteStream(file), { signal: abort.signal })
    const result = await services.writers.use(abort.signal, (session) =>
      services.running.track({ queryId, abort }, async (tag) => {
        const settings = new Map([
          ...BASE_SETTINGS,
          ...INSERT_SETTINGS,
          ...scope.settings,
          ['log_comment', tag] as const,
        ])
        const engine = await session.enter({ ...scope, settings }, fromFile)
        abort.signal.throwIfAborted()
        return services.wholeParts.expect(engine, () => engine.queryAsync(fromFile))
      }),
    )
    response.setHeader(
      'X-ClickHouse-Summary',
      summary({
        read_rows: result.rowsRead,
        read_bytes: result.bytesRead,
        written_rows: result.rowsRead,
        written_bytes: result.bytesRead,
        result_rows: result.rowsRead,
        elapsed_ns: result.elapsed * 1e9,
      }),
    )
    response.end()
  } finally {
    await rm(file, { force: true })
  }
}
