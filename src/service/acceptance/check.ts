import type { Logger } from '../../lib/logger.ts'
import { type Config, ConfigError } from '../startup/config.ts'
import { checkClickHouse } from './clickhouse.ts'
import { checkNats } from './nats.ts'
import { checkPostgres } from './postgres.ts'
import { type CheckResult, Checks } from './results.ts'
import type { WithReplicaStopped } from './stopped-replica.ts'

interface Options {
  readonly log: Logger
  readonly onResult?: (result: CheckResult) => void
  readonly stopped?: WithReplicaStopped | undefined
}

/**
 * An acceptance test of the servers that the settings name, for the operator to run before Footfall does. It writes to
 * scratch places only, which it removes.
 */
export async function checkServers(
  config: Config,
  { log, onResult = () => {}, stopped }: Options,
): Promise<CheckResult[]> {
  const { postgres_url, nats_url, clickhouse_url } = config
  if (!postgres_url && !nats_url && !clickhouse_url)
    throw new ConfigError(
      'no setting names a server: set FOOTFALL_CLICKHOUSE_URL (with FOOTFALL_CLICKHOUSE_CLUSTER), FOOTFALL_NATS_URL or FOOTFALL_POSTGRES_URL. What is embedded is checked by `footfall doctor`',
    )
  const [clickhouse, nats, postgres] = [
    new Checks('ClickHouse', onResult),
    new Checks('NATS', onResult),
    new Checks('PostgreSQL', onResult),
  ]
  if (postgres_url) await checkPostgres(postgres_url, postgres, log)
  if (nats_url) await checkNats(nats_url, config.log_limit_mb, nats)
  if (clickhouse_url) await checkClickHouse(config, clickhouse, { log, stopped })
  return [...postgres.results, ...nats.results, ...clickhouse.results]
}
