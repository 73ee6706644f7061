import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { type ClickHouse, sql as ch } from '../../engines/clickhouse/index.ts'
import { createServer } from '../../http/server.ts'
import { createLogger } from '../../lib/logger.ts'
import { openSegmentLog } from '../../log/index.ts'
import type { Services } from '../services.ts'
import { registerBackupEndpoint } from './backup-endpoint.ts'

let postgres: TestPostgres
let engine: TestClickHouse
let data: string
let eventLog: Awaited<ReturnType<typeof openSegmentLog>>
beforeAll(async () => {
  ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  data = await mkdtemp(path.join(tmpdir(), 'footfall-moment-'))
  eventLog = await openSegmentLog({ dir: path.join(data, 'log'), partitions: ['live-0'] })
})
afterAll(async () => {
  await eventLog?.close()
  await Promise.all([postgres?.stop(), engine?.stop()])
  await rm(data, { recursive: true, force: true })
})

afterEach(async () => {
  const clones = await engine.clickhouse.query(
    ch`SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, 'backup_')`,
  )
  expect(clones.rows).toEqual([])
  await postgres.sql`DELETE FROM clickhouse_outbox`
})

/** Asks for a moment of a service that is told to stop when `stop` is called, and is then closed. */
async function askAndStop(meeting: (stop: () => void) => Partial<{ pause(): void; clone(): void; warn(): void }>) {
  const log = createLogger('silent')
  const app = createServer({ log })
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  let closed: Promise<unknown> | undefined
  const met = meeting(() => {
    closed ??= app.close()
  })
  const clickhouse: ClickHouse = {
    ...engine.clickhouse,
    command: async (...given) => {
      met.clone?.()
      // So that the stop has come when the table is cloned.
      await new Promise(setImmediate)
      await engine.clickhouse.command(...given)
    },
  }
  const services = {
    engines: { sql: postgres.sql, ch: clickhouse, postgres: postgres.embedded.connection, clickhouse: engine.embedded },
    config: { data },
    log: Object.assign(log, { warn: () => met.warn?.() }),
    eventLog,
    pipeline: {
      whilePaused: async (work: () => Promise<unknown>) => {
        met.pause?.()
        return work()
      },
    },
  } as unknown as Services
  registerBackupEndpoint(app, services, stopping.signal)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(`${url}/backup`, { method: 'POST', body: '{}', headers: { connection: 'close' } })
  const told = { status: answer.status, text: await answer.text() }
  await closed
  return told
}
const STOPPED = { status: 409, text: expect.stringContaining('The service was stopped') }

it('a stop ends a backup that waits for the pipeline', async () => {
  expect(await askAndStop((stop) => ({ pause: stop }))).toEqual(STOPPED)
})

it('a stop ends a backup that tries again', async () => {
  await postgres.sql`INSERT INTO pipeline_positions (partition, position) VALUES ('live-0', 0)`
  await postgres.sql`INSERT INTO clickhouse_outbox (lane, table_name, token, rows) VALUES ('live-0', 'events', 't', '')`
  expect(await askAndStop((stop) => ({ warn: stop }))).toEqual(STOPPED)
})

it('a stop ends a backup that clones tables', async () => {
  expect(await askAndStop((stop) => ({ clone: stop }))).toEqual(STOPPED)
})
