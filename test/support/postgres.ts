import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {
  applyPostgresMigrations,
  type EmbeddedPostgres,
  openPostgres,
  type Sql,
  startEmbeddedPostgres,
} from '../../src/engines/postgres/index.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { tcpProxy } from './tcp-proxy.ts'

export interface TestPostgres {
  readonly sql: Sql
  readonly embedded: EmbeddedPostgres
  /** As FOOTFALL_POSTGRES_URL has it. */
  readonly url: string
  readonly dataDir: string
  stop(): Promise<void>
}

/** A migrated server of its own for a test file: start it in `beforeAll`, stop it in `afterAll`. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'footfall-pg-'))
  const log = createLogger('silent')
  const embedded = await startEmbeddedPostgres({ dataDir, log })
  const sql = await openPostgres(embedded.connection, { log })
  await applyPostgresMigrations(sql, log)
  const { host, user, password, database } = embedded.connection
  const server = await tcpProxy(path.join(host, '.s.PGSQL.5432'))
  return {
    sql,
    embedded,
    url: `postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`,
    dataDir,
    stop: async () => {
      await sql.end({ timeout: 1 })
      server.close()
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
