import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Config, ConfigError, type Role } from './config.ts'

/** What a process with these settings runs and needs, and which combinations cannot work. */
export const has = ({ roles }: Pick<Config, 'roles'>, role: Role): boolean => roles.includes(role)

/** A process with only the capture role needs no ClickHouse: events wait in the log. */
export const needsClickHouse = (config: Config): boolean =>
  (['pipeline', 'api', 'jobs'] as const).some((role) => has(config, role))

/**
 * The log in NATS is opened by processes that write or read it; the embedded one by the process that has the folder.
 */
export const needsLog = (config: Config): boolean =>
  config.nats_url === undefined || has(config, 'capture') || has(config, 'pipeline')

/** Other processes may run on the same log and the same database. */
export const isOneOfSeveral = (config: Config): boolean =>
  config.postgres_url !== undefined && (config.nats_url !== undefined || config.roles.length < 4)

/** Pipelines of other processes may run other partitions of the same log. */
export const sharesPartitions = (config: Config): boolean => isOneOfSeveral(config) && config.nats_url !== undefined

/** Refuses settings that would have no effect or cannot work together. */
export function refuseImpossible(config: Config): void {
  if (config.clickhouse_cluster && !config.clickhouse_url)
    throw new ConfigError(
      'FOOTFALL_CLICKHOUSE_CLUSTER: needs FOOTFALL_CLICKHOUSE_URL, a server of that cluster; the embedded ClickHouse has none',
    )
  if (config.postgres_read_url && !config.postgres_url)
    throw new ConfigError(
      'FOOTFALL_POSTGRES_READ_URL: needs FOOTFALL_POSTGRES_URL, the server that it is a replica of; the embedded PostgreSQL has none',
    )
  const apart = has(config, 'capture') !== has(config, 'pipeline')
  if (apart && !config.nats_url)
    throw new ConfigError(
      'FOOTFALL_ROLES: capture and pipeline can only be separated with FOOTFALL_NATS_URL, because the embedded log belongs to one process',
    )
  if (apart && !config.postgres_url)
    throw new ConfigError(
      'FOOTFALL_ROLES: capture and pipeline can only be separated with FOOTFALL_POSTGRES_URL, because the embedded PostgreSQL belongs to one process',
    )
  if (apart && !config.clickhouse_url && has(config, 'pipeline') && !has(config, 'api'))
    throw new ConfigError(
      'FOOTFALL_ROLES: a pipeline without api needs FOOTFALL_CLICKHOUSE_URL, because nobody else can ask its embedded ClickHouse',
    )
  if (config.nats_url && !config.clickhouse_url && !has(config, 'pipeline') && has(config, 'api'))
    throw new ConfigError(
      'FOOTFALL_ROLES: api without the pipeline needs FOOTFALL_CLICKHOUSE_URL, because nobody else can fill its embedded ClickHouse',
    )
}

/**
 * The name of this process among those that share the work. It is kept in the data folder, which only one process uses
 * at a time, so a process keeps its name after a crash.
 */
export async function processName({ data }: Config): Promise<string> {
  const file = path.join(data, 'process-name')
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known.trim() !== '') return known.trim()
  const name = randomUUID()
  await writeFile(file, `${name}\n`)
  return name
}
