import { type ClickHouse, Fragment, sql } from '../../engines/clickhouse/index.ts'
import { type ClickHouseReplica, everywhere, type OfServer } from './clickhouse-servers.ts'
import { failed, warning } from './results.ts'

/** Settings of the servers that lost others their data, or let a disk fill up unnoticed. */

/** A system table of every server, or of the only one. */
const tableOf = (cluster: string | undefined, table: string): Fragment =>
  cluster === undefined ? new Fragment([table], []) : everywhere(cluster, table)

const serverColumn = (cluster: string | undefined): Fragment => (cluster === undefined ? sql`1` : sql`_shard_num`)

const hostsOf = (servers: readonly number[], replicas: readonly ClickHouseReplica[]): string =>
  [...new Set(servers.map((server) => replicas[server - 1]?.host ?? 'the server'))].join(', ')

/**
 * Replicas that share their parts in object storage were seen to delete them for all, unnoticed: a mutation removed
 * what another replica still needed.
 */
export async function noZeroCopy(
  clickhouse: ClickHouse,
  cluster: string | undefined,
  replicas: readonly ClickHouseReplica[],
): Promise<string> {
  const { rows } = await clickhouse.query<OfServer<string>>(sql`
    SELECT ${serverColumn(cluster)} AS server, value FROM ${tableOf(cluster, 'system.merge_tree_settings')}
    WHERE name = 'allow_remote_fs_zero_copy_replication' ORDER BY server`)
  return judgeZeroCopy(rows, replicas)
}

export function judgeZeroCopy(values: readonly OfServer<string>[], replicas: readonly ClickHouseReplica[]): string {
  const on = values.filter(({ value }) => value !== '0' && value !== 'false').map(({ server }) => server)
  if (on.length > 0)
    throw failed(
      `allow_remote_fs_zero_copy_replication is on at ${hostsOf(on, replicas)}: a fault of it deleted others' data in all replicas`,
      'Set it to 0 in <merge_tree>. Each replica then keeps parts of its own in object storage.',
    )
  return 'every replica keeps parts of its own'
}

/** ClickHouse writes logs about itself to tables that grow for ever unless they have a TTL. */
export async function logsExpire(
  clickhouse: ClickHouse,
  cluster: string | undefined,
  replicas: readonly ClickHouseReplica[],
): Promise<string> {
  const { rows } = await clickhouse.query<{ server: number; name: string }>(sql`
    SELECT ${serverColumn(cluster)} AS server, name FROM ${tableOf(cluster, 'system.tables')}
    WHERE database = 'system' AND engine LIKE '%MergeTree' AND position(engine_full, ' TTL ') = 0
    ORDER BY server, name`)
  const names = [...new Set(rows.map(({ name }) => name))]
  if (names.length > 0)
    throw warning(
      `system.${names.join(', system.')} grow without end at ${hostsOf(
        rows.map(({ server }) => Number(server)),
        replicas,
      )}`,
      'Give each of them a <ttl> in the configuration (event_date + INTERVAL 30 DAY DELETE), or remove the section.',
    )
  return 'all have a TTL, or are off'
}

export async function keeperAnswers(clickhouse: ClickHouse, cluster: string): Promise<string> {
  try {
    const { rows } = await clickhouse.query<{ servers: number }>(sql`
      SELECT uniqExact(_shard_num) AS servers FROM ${everywhere(cluster, 'system.zookeeper')} WHERE path = '/'`)
    return `${rows[0]?.servers ?? 0} servers see it`
  } catch (error) {
    throw failed(
      (error as Error).message,
      'Run three ClickHouse Keeper servers and name them in <zookeeper> on every ClickHouse server.',
    )
  }
}
