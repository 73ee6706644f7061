import {
  applyClickHouseMigrations,
  type ClickHouse,
  type ClickHouseServer,
  type EmbeddedClickHouse,
  openClickHouse,
  placeOldData,
  startEmbeddedClickHouse,
} from '../../engines/clickhouse/index.ts'
import {
  applyPostgresMigrations,
  type EmbeddedPostgres,
  onPrimary,
  openPostgres,
  type PostgresServer,
  type Reading,
  ReadReplica,
  type Sql,
  startEmbeddedPostgres,
  withMigrationLock,
} from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Config } from './config.ts'
import { has, isOneOfSeveral } from './topology.ts'
import { untilAnswers } from './until-answers.ts'

/** Both engines, embedded or servers: the rest of the code does not see the difference. */
export interface Engines {
  readonly postgres: PostgresServer
  readonly clickhouse: ClickHouseServer
  readonly embeddedPostgres: EmbeddedPostgres | null
  readonly embeddedClickHouse: EmbeddedClickHouse | null
  readonly sql: Sql
  /** Reads that may be some moments behind. */
  readonly reading: Reading
  /** Null where no role needs it. */
  readonly ch: ClickHouse | null
  /** For jobs: the server that is kept for them, or `ch`. */
  readonly jobsCh: ClickHouse | null
  /** Brings the tables up to date, or only to these migrations. */
  migrate(only?: MigrationNumbers): Promise<void>
  stop(): Promise<void>
}

interface MigrationNumbers {
  readonly postgres: readonly number[]
  readonly clickhouse: readonly number[]
}

/** For roles that need it. */
export function clickHouseOf({ ch }: Engines): ClickHouse {
  if (ch === null) throw new Error('no role of this process needs ClickHouse, and so it has none')
  return ch
}

/** Locks of a process that is suspended, or whose machine is gone, must not keep the pipelines of others waiting. */
const IDLE_IN_TRANSACTION_MS = 2 * MINUTE

export async function startEngines(
  config: Config,
  log: Logger,
  needed: { readonly clickhouse: boolean },
): Promise<Engines> {
  const [embeddedPostgres, embeddedClickHouse] = await settled([
    config.postgres_url ? null : startEmbeddedPostgres({ dataDir: config.data, log }),
    config.clickhouse_url || !needed.clickhouse ? null : startEmbeddedClickHouse({ dataDir: config.data, log }),
  ])
  const stopChildren = async () => {
    await Promise.all([embeddedClickHouse?.stop(), embeddedPostgres?.stop()])
  }
  try {
    const postgres: PostgresServer = embeddedPostgres?.connection ?? { url: config.postgres_url as string }
    const clickhouse: ClickHouseServer = embeddedClickHouse
      ? addressOf(embeddedClickHouse)
      : {
          url: config.clickhouse_url ?? '',
          ...(config.clickhouse_cluster === undefined ? {} : { cluster: config.clickhouse_cluster }),
        }
    const limits = isOneOfSeveral(config) ? { idleInTransactionMs: IDLE_IN_TRANSACTION_MS } : {}
    const sql = await openPostgres(postgres, { log, max: 10, ...limits })
    const replica = config.postgres_read_url
      ? new ReadReplica({ primary: sql, server: { url: config.postgres_read_url }, log })
      : null
    const whenBack = embeddedClickHouse ? { whenBack: () => embeddedClickHouse.whenReady() } : {}
    const ch = needed.clickhouse ? openClickHouse({ ...clickhouse, ...whenBack, log }) : null
    const forJobs = has(config, 'jobs') ? config.clickhouse_jobs_url : undefined
    const jobsCh = forJobs === undefined ? ch : openClickHouse({ ...clickhouse, url: forJobs, log })
    return {
      postgres,
      clickhouse,
      embeddedPostgres,
      embeddedClickHouse,
      sql,
      reading: replica?.reading ?? onPrimary(sql),
      ch,
      jobsCh,
      migrate: async (only) => {
        await applyPostgresMigrations(sql, log, { only: only?.postgres })
        if (ch === null) return
        await untilAnswers(ch, log)
        await withMigrationLock(sql, () => migrateClickHouse(ch, config, log, only?.clickhouse))
      },
      stop: async () => {
        if (jobsCh !== ch) await jobsCh?.close()
        await ch?.close()
        await replica?.close()
        await sql.end({ timeout: 3 })
        await stopChildren()
      },
    }
  } catch (error) {
    await stopChildren()
    throw error
  }
}

async function migrateClickHouse(
  ch: ClickHouse,
  config: Config,
  log: Logger,
  only: readonly number[] | undefined,
): Promise<void> {
  await applyClickHouseMigrations(ch, log, only)
  const { clickhouse_storage_policy: policy, clickhouse_cold_volume: volume } = config
  const { clickhouse_cold_after_days: days } = config
  if (days !== undefined) await placeOldData(ch, policy && days > 0 ? { policy, volume, days } : null, log)
}

const addressOf = ({ url, socket, username, secretFile, database }: EmbeddedClickHouse): ClickHouseServer => ({
  url,
  socket,
  username,
  secretFile,
  database,
})

/** Both or none: when one does not start, the other is stopped. */
async function settled(
  starting: [Promise<EmbeddedPostgres> | null, Promise<EmbeddedClickHouse> | null],
): Promise<[EmbeddedPostgres | null, EmbeddedClickHouse | null]> {
  const results = await Promise.allSettled(starting)
  const failed = results.find((result) => result.status === 'rejected')
  if (!failed)
    return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as [
      EmbeddedPostgres | null,
      EmbeddedClickHouse | null,
    ]
  await Promise.all(results.map((result) => (result.status === 'fulfilled' ? result.value?.stop() : undefined)))
  throw failed.reason
}
