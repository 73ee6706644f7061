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
import { newDatabaseName, sharedEngine } from './shared-engine.ts'
import { tcpProxy } from './tcp-proxy.ts'

type PostgresConnection = EmbeddedPostgres['connection']

export interface TestPostgres {
  readonly sql: Sql
  readonly embedded: { readonly connection: PostgresConnection }
  stop(): Promise<void>
}

export interface OwnPostgres extends TestPostgres {
  readonly embedded: EmbeddedPostgres
  /** As FOOTFALL_POSTGRES_URL has it. */
  readonly url: string
  readonly dataDir: string
}

const log = createLogger('silent')

/** A migrated database of its own for a test file, on a server shared with others: start it in `beforeAll`, stop it in `afterAll`. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const server = await sharedEngine<PostgresConnection & { superuser: string }>('postgres')
  const database = newDatabaseName()
  await administer(server, `CREATE DATABASE ${database} TEMPLATE ${server.database}`)
  const connection = { ...server, database }
  const sql = await openPostgres(connection, { log })
  return {
    sql,
    embedded: { connection },
    stop: async () => {
      await sql.end({ timeout: 1 })
      // Only a superuser may end an autovacuum worker that happens to be in it.
      await administer({ ...server, user: server.superuser }, `DROP DATABASE ${database} WITH (FORCE)`)
    },
  }
}

async function administer(server: PostgresConnection, statement: string): Promise<void> {
  // Not in the database that is copied: a copy is refused while somebody is connected to it.
  const sql = await openPostgres({ ...server, database: 'template1' }, { log })
  await sql.unsafe(statement).finally(() => sql.end({ timeout: 5 }))
}

/** A server of its own, for tests of servers. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'footfall-pg-'))
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
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
