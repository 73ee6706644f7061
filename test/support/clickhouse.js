import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  applyClickHouseMigrations,
  openClickHouse,
  startEmbeddedClickHouse,
} from '../../src/engines/clickhouse/index.js'
import { createLogger } from '../../src/lib/logger.js'
/** A ClickHouse of the test's own, in a temporary folder, with every table. */
export async function startTestClickHouse() {
  const log = createLogger(process.env.FOOTFALL_LOG_LEVEL ?? 'silent')
  const dataDir = await mkdtemp(path.join(tmpdir(), 'footfall-clickhouse-'))
  const embedded = await startEmbeddedClickHouse({ dataDir, log })
  const clickhouse = openClickHouse({ ...embedded, log })
  await applyClickHouseMigrations(clickhouse, log)
  return {
    clickhouse,
    embedded,
    dataDir,
    async stop() {
      await clickhouse.close()
      await embedded.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
//# sourceMappingURL=clickhouse.js.map
