import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  applyClickHouseMigrations,
  type ClickHouse,
  type EmbeddedClickHouse,
  openClickHouse,
  startEmbeddedClickHouse,
} from '../../src/engines/clickhouse/index.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { type OverTcp, overTcp } from './over-tcp.ts'
import { newDatabaseName, sharedEngine } from './shared-engine.ts'

type Server = Pick<EmbeddedClickHouse, 'url' | 'socket' | 'username' | 'secretFile' | 'database'>

export interface TestClickHouse {
  readonly clickhouse: ClickHouse
  readonly embedded: Server
  stop(): Promise<void>
}

export interface OwnClickHouse extends TestClickHouse {
  readonly embedded: EmbeddedClickHouse
  /** The same engine as a server, for those who talk to one. */
  readonly server: OverTcp
  readonly dataDir: string
}

const log = createLogger(process.env.FOOTFALL_LOG_LEVEL ?? 'silent')

/** A database of the test file's own with every table, in a ClickHouse shared with others. */
export async function startTestClickHouse(): Promise<TestClickHouse> {
  const embedded = { ...(await sharedEngine<Omit<Server, 'database'>>('clickhouse')), database: newDatabaseName() }
  const clickhouse = openClickHouse({ ...embedded, log })
  await applyClickHouseMigrations(clickhouse, log)
  return {
    clickhouse,
    embedded,
    async stop() {
      await clickhouse.command(`DROP DATABASE ${embedded.database} SYNC`)
      await clickhouse.close()
    },
  }
}

/** A ClickHouse of the test's own, in a temporary folder, for tests of the engine. */
export async function startOwnClickHouse(): Promise<OwnClickHouse> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'footfall-clickhouse-'))
  const embedded = await startEmbeddedClickHouse({ dataDir, log })
  const clickhouse = openClickHouse({ ...embedded, log })
  await applyClickHouseMigrations(clickhouse, log)
  const server = await overTcp(embedded)
  return {
    clickhouse,
    embedded,
    server,
    dataDir,
    async stop() {
      await clickhouse.close()
      await server.close()
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
