import path from 'node:path'
import { withMigrationLock } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { allPartitions, type EventLog, openJetstreamLog, openSegmentLog } from '../../log/index.ts'
import type { Config } from './config.ts'
import type { Engines } from './engines.ts'
import { partitionsToOpen } from './partitions.ts'

/** The log of this process: in NATS, or in its own folder. */
export async function openLog(config: Config, { sql }: Engines, log: Logger): Promise<EventLog> {
  const partitions = allPartitions(await partitionsToOpen(sql, config.partitions))
  const applied = async (): Promise<Record<string, number>> => {
    const rows = await sql<
      { partition: string; position: number }[]
    >`SELECT partition, position FROM pipeline_positions`
    return Object.fromEntries(rows.map(({ partition, position }) => [partition, position]))
  }
  const backlogLimitBytes = config.log_limit_mb * 1024 * 1024
  if (config.nats_url === undefined)
    return openSegmentLog({
      dir: path.join(config.data, 'log'),
      partitions,
      released: await applied(),
      backlogLimitBytes,
      log,
    })
  return openJetstreamLog({
    url: config.nats_url,
    partitions,
    released: applied,
    exclusively: (work) => withMigrationLock(sql, work),
    backlogLimitBytes,
    log,
  })
}
