import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import {
  enginesAreEmpty,
  knowsMigrations,
  loadClickHouse,
  loadCopies,
  loadLog,
  loadPostgres,
  type Manifest,
  positionsIn,
  readManifest,
  verifyFiles,
} from '../backup/index.ts'
import { acquireDataLock } from '../engines/data-lock.ts'
import type { Logger } from '../lib/logger.ts'
import { allPartitions, type EventLog, openJetstreamLog, openSegmentLog } from '../log/index.ts'
import { type Config, ConfigError } from './startup/config.ts'
import { clickHouseOf, startEngines } from './startup/engines.ts'
import { openAsUser } from './startup/open-as-user.ts'
import { partitionsToOpen } from './startup/partitions.ts'

/**
 * Restores a backup into a data folder (and into servers, if the settings name some), while no service runs.
 *
 *   checking   the backup is complete and the target is empty; otherwise nothing is changed
 *   restoring  a note in the data folder keeps services from starting; Postgres, ClickHouse and the log are filled
 *              -> restored  the note is removed: a service can be started
 *              -> checking  it failed: what it had made in the data folder is removed. A crash leaves the note
 */
const NOTE = 'restore-not-finished'

interface RestoreOptions {
  readonly folder: string
  readonly config: Config
  readonly log: Logger
  readonly onProgress?: (what: string) => void
}

export async function restoreBackup({ folder, config, log, onProgress }: RestoreOptions): Promise<Manifest> {
  refuseCluster(config)
  await refuseUsed(config.data)
  const manifest = await readManifest(folder)
  onProgress?.('checking the files of the backup')
  await verifyFiles(folder, manifest)
  process.umask(0o077)
  await mkdir(config.data, { recursive: true })
  const lock = await openAsUser(config, log, {
    because: 'the backup may be for root only',
    first: () => writeNote(config.data),
  })
  try {
    await fill(config, log, { folder, manifest, onProgress: (what) => onProgress?.(`restoring ${what}`) })
    await rm(path.join(config.data, NOTE))
    return manifest
  } catch (error) {
    await lock.release()
    for (const name of await readdir(config.data))
      await rm(path.join(config.data, name), { recursive: true, force: true })
    throw error
  } finally {
    await lock.release()
  }
}

async function fill(config: Config, log: Logger, load: Parameters<typeof loadPostgres>[1]): Promise<void> {
  const { manifest } = load
  const engines = await startEngines(config, log, { clickhouse: true })
  const ch = clickHouseOf(engines)
  try {
    await engines.migrate({ postgres: manifest.postgres.migrations, clickhouse: manifest.clickhouse.migrations })
    if (!(await knowsMigrations(engines.sql, ch, manifest)))
      throw new ConfigError(
        `The backup was made by a newer Footfall (${manifest.footfall}): restore it with that one, or with a newer one.`,
      )
    if (!(await enginesAreEmpty(engines.sql, ch)))
      throw new ConfigError(
        'The PostgreSQL or ClickHouse that the settings name already holds data of a Footfall. Restore only fills empty ones: name a new database in FOOTFALL_POSTGRES_URL and FOOTFALL_CLICKHOUSE_URL.',
      )
    await loadPostgres(engines.sql, load)
    await loadClickHouse(ch, load)
    await engines.migrate()
    await loadCopies(engines.sql, ch, load)
    const partitions = [
      ...new Set([
        ...allPartitions(await partitionsToOpen(engines.sql, config.partitions)),
        ...manifest.log.map(({ partition }) => partition),
      ]),
    ]
    const eventLog = await openEmptyLog(config, log, { partitions, released: positionsIn(manifest) })
    try {
      await loadLog(eventLog, load)
    } finally {
      await eventLog.close()
    }
  } finally {
    await engines.stop()
  }
}

/** In NATS the streams skip ahead of the positions, so that what is appended is applied. */
async function openEmptyLog(
  config: Config,
  log: Logger,
  { partitions, released }: { readonly partitions: readonly string[]; readonly released: Record<string, number> },
): Promise<EventLog> {
  if (config.nats_url === undefined)
    return openSegmentLog({ dir: path.join(config.data, 'log'), partitions, released, log })
  const eventLog = await openJetstreamLog({ url: config.nats_url, partitions, released: async () => released, log })
  if (eventLog.status().backlogBytes === 0) return eventLog
  await eventLog.close()
  throw new ConfigError(
    'FOOTFALL_NATS_URL: the streams of Footfall in this NATS are not empty, and restore only fills empty ones. Delete them, or name another NATS.',
  )
}

/** Replicated tables are restored with ClickHouse's own tools. */
function refuseCluster({ clickhouse_cluster }: Config): void {
  if (clickhouse_cluster)
    throw new ConfigError(
      'FOOTFALL_CLICKHOUSE_CLUSTER: replicated tables are not part of a backup. Back up and restore PostgreSQL, ClickHouse and NATS with their own tools.',
    )
}

async function refuseUsed(data: string): Promise<void> {
  const names = await readdir(data).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (names.every((name) => name === 'lock')) return
  if (names.includes(NOTE)) throw new ConfigError(halfRestored(data))
  // Throws a better message when a service is running on the folder.
  await (await acquireDataLock(data)).release()
  throw new ConfigError(
    `The data folder ${data} is not empty, and restore only fills an empty one. Move it away (mv ${data} ${data}.old), or name another with --data.`,
  )
}

/** Called when a service starts. */
export async function refuseHalfRestored(data: string): Promise<void> {
  if (existsSync(path.join(data, NOTE))) throw new ConfigError(halfRestored(data))
}

const halfRestored = (data: string) =>
  `A restore into ${data} was cut off before it was complete. Remove what is in that folder and run \`footfall restore\` again.`

async function writeNote(data: string): Promise<void> {
  const file = await open(path.join(data, NOTE), 'wx')
  await file.sync().finally(() => file.close())
  const folder = await open(data)
  await folder.sync().finally(() => folder.close())
}
