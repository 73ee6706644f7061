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
import { type ClusterEngine, clusterAddress } from './cluster-engine.ts'
import { type OverTcp, overTcp } from './over-tcp.ts'
import { newDatabaseName, sharedEngine } from './shared-engine.ts'

type Server = Pick<EmbeddedClickHouse, 'url' | 'username' | 'secretFile' | 'database'> &
  Partial<Pick<EmbeddedClickHouse, 'socket'>> & { readonly cluster?: string }

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

/**
 * A database of the test file's own with every table, in a ClickHouse shared with others. In the tests of the project `cluster` it is a
 * cluster of two shards.
 */
export async function startTestClickHouse(): Promise<TestClickHouse> {
  const engine = await sharedEngine<Omit<Server, 'database'>>(ON_CLUSTER ? 'clickhouse-cluster' : 'clickhouse')
  const embedded = { ...engine, database: newDatabaseName() }
  const clickhouse = openClickHouse({ ...embedded, log })
  await applyClickHouseMigrations(clickhouse, log)
  return {
    clickhouse,
    embedded,
    async stop() {
      await clickhouse.close()
      const { cluster: _, ...alone } = embedded
      const cleaner = openClickHouse({ ...alone, log })
      await cleaner.command(`DROP DATABASE ${embedded.database} SYNC`)
      await cleaner.close()
    },
  }
}

/** Whether tests of this run use a ClickHouse cluster, as those of the project `cluster` do (vitest.config.ts). */
export const ON_CLUSTER = process.env.TEST_CLICKHOUSE === 'cluster'

/** What a service needs for a database of its own in the cluster. */
export async function clusterSettings(): Promise<Record<string, string>> {
  const server = await sharedEngine<ClusterEngine['server']>('clickhouse-cluster')
  return {
    FOOTFALL_CLICKHOUSE_URL: clusterAddress({ server }, newDatabaseName()),
    FOOTFALL_CLICKHOUSE_CLUSTER: server.cluster,
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
      server.close()
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
