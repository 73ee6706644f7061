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

export interface TestClickHouse {
  readonly clickhouse: ClickHouse
  readonly embedded: EmbeddedClickHouse
  /** The same engine as a server, for those who talk to one. */
  readonly server: OverTcp
  readonly dataDir: string
  stop(): Promise<void>
}

/** A ClickHouse of the test's own, in a temporary folder, with every table. */
export async function startTestClickHouse(): Promise<TestClickHouse> {
  const log = createLogger(process.env.FOOTFALL_LOG_LEVEL ?? 'silent')
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
