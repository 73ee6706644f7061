import { type ClickHouse, Fragment, sql, str } from '../../engines/clickhouse/index.ts'
import { groupBy } from '../../lib/group-by.ts'
import { failed, warning } from './results.ts'

/**
 * What the servers of a ClickHouse cluster say of themselves, and what is wrong with it. Reading and judging are apart,
 * so that faults that cannot be made on purpose are tested too.
 */
export interface ClickHouseReplica {
  readonly shard: number
  readonly replica: number
  readonly host: string
  readonly internalReplication: boolean
}

/** By its place in the list of replicas, beginning with 1. */
export interface OfServer<T> {
  readonly server: number
  readonly value: T
}

/** The oldest ClickHouse whose JSON type keeps what we store. */
const OLDEST_MAJOR = 25
const MOST_APART_SECONDS = 2

/** A table of every server of the cluster. The name of the cluster is checked when the settings are read. */
export const everywhere = (cluster: string, table: string): Fragment =>
  new Fragment([`clusterAllReplicas('${cluster}', ${table})`], [])

export async function readReplicas(clickhouse: ClickHouse, cluster: string): Promise<ClickHouseReplica[]> {
  const { rows } = await clickhouse.query<{ shard: number; replica: number; host: string; internal: number }>(sql`
    SELECT shard_num AS shard, replica_num AS replica, concat(host_name, ':', toString(port)) AS host,
      internal_replication AS internal
    FROM system.clusters WHERE cluster = ${str(cluster)} ORDER BY shard, replica`)
  return rows.map(({ internal, ...replica }) => ({ ...replica, internalReplication: internal === 1 }))
}

export async function readVersions(clickhouse: ClickHouse, cluster: string): Promise<OfServer<string>[]> {
  const { rows } = await clickhouse.query<OfServer<string>>(
    sql`SELECT _shard_num AS server, version() AS value FROM ${everywhere(cluster, 'system.one')} ORDER BY server`,
  )
  return rows
}

/** Seconds since 1970. Of a block, because a time that is constant in a query comes from the server that plans it. */
export async function readClocks(clickhouse: ClickHouse, cluster: string): Promise<OfServer<number>[]> {
  const { rows } = await clickhouse.query<OfServer<number>>(
    sql`SELECT _shard_num AS server, toUnixTimestamp(nowInBlock()) AS value FROM ${everywhere(cluster, 'system.one')}
      ORDER BY server`,
  )
  return rows
}

export async function readMacros(
  clickhouse: ClickHouse,
  cluster: string,
): Promise<(OfServer<string> & { readonly macro: string })[]> {
  const { rows } = await clickhouse.query<OfServer<string> & { macro: string }>(
    sql`SELECT _shard_num AS server, macro, substitution AS value FROM ${everywhere(cluster, 'system.macros')}
      WHERE macro IN ('shard', 'replica') ORDER BY server, macro`,
  )
  return rows
}

export function judgeReplicas(replicas: readonly ClickHouseReplica[], cluster: string): string {
  if (replicas.length === 0)
    throw failed(
      `the server knows no cluster "${cluster}"`,
      'Name it in <remote_servers> on every server, or correct FOOTFALL_CLICKHOUSE_CLUSTER.',
    )
  const doubling = replicas.filter(({ internalReplication }) => !internalReplication)
  if (doubling.length > 0)
    throw failed(
      `internal_replication is off for ${doubling.map(({ host }) => host).join(', ')}: rows would be inserted into every replica and replicated besides`,
      'Set <internal_replication>true</internal_replication> in every <shard> of <remote_servers>.',
    )
  const sizes = [...groupBy(replicas, ({ shard }) => shard).values()].map(({ length }) => length)
  const fewest = Math.min(...sizes)
  const told = `${sizes.length} shards, ${fewest === Math.max(...sizes) ? fewest : `${fewest} to ${Math.max(...sizes)}`} replicas each`
  if (fewest < 3)
    throw warning(
      `${told}: an insert waits for most replicas of a shard, with ${fewest} of them for all`,
      fewest === 1
        ? 'A shard with one replica is lost with its disk. Add replicas: three let inserts continue while one is away.'
        : 'While one replica is away inserts of its shard wait in the log. Add a third replica if that is not acceptable.',
    )
  return told
}

export function judgeVersions(versions: readonly OfServer<string>[], replicas: readonly ClickHouseReplica[]): string {
  const all = new Set(versions.map(({ value }) => value))
  const old = versions.filter(({ value }) => Number(value.split('.')[0]) < OLDEST_MAJOR)
  if (old.length > 0)
    throw failed(
      `${namesOf(old, replicas)} run ${[...new Set(old.map(({ value }) => value))].join(', ')}`,
      `Install ClickHouse ${OLDEST_MAJOR} or newer.`,
    )
  if (all.size > 1)
    throw failed(
      `the servers run ${[...all].sort().join(' and ')}`,
      'Install the same version everywhere: servers of different versions may refuse each other’s parts.',
    )
  return `${versions.length} servers answer, all with ${[...all].join()}`
}

export function judgeClocks(
  clocks: readonly OfServer<number>[],
  replicas: readonly ClickHouseReplica[],
  asked: { readonly from: number; readonly to: number },
): string {
  const wrong = clocks.filter(
    ({ value }) => value < asked.from / 1000 - MOST_APART_SECONDS || value > asked.to / 1000 + MOST_APART_SECONDS,
  )
  if (wrong.length > 0)
    throw failed(
      `the clock of ${namesOf(wrong, replicas)} differs from ours by more than ${MOST_APART_SECONDS} s`,
      'Let NTP set the clocks of all servers.',
    )
  return `all within ${MOST_APART_SECONDS} s of ours`
}

/** Every server must name its shard and itself, and no two the same. */
export function judgeMacros(
  macros: readonly (OfServer<string> & { readonly macro: string })[],
  replicas: readonly ClickHouseReplica[],
): string {
  const todo = 'Set <macros><shard>…</shard><replica>…</replica></macros> on every server.'
  const of = (server: number, macro: string) =>
    macros.find((one) => one.server === server && one.macro === macro)?.value
  const names = new Map<string, number>()
  const shards = new Map<string, number>()
  for (const [index, { shard, host }] of replicas.entries()) {
    const [shardMacro, replicaMacro] = [of(index + 1, 'shard'), of(index + 1, 'replica')]
    if (shardMacro === undefined || replicaMacro === undefined)
      throw failed(`${host} has no macro {${shardMacro === undefined ? 'shard' : 'replica'}}`, todo)
    const name = `${shardMacro}-${replicaMacro}`
    const same = names.get(name)
    if (same !== undefined)
      throw failed(
        `${host} and ${replicas[same]?.host} are both replica ${replicaMacro} of shard ${shardMacro}`,
        `${todo} No two servers may have the same pair.`,
      )
    names.set(name, index)
    const known = shards.get(shardMacro) ?? shard
    if (known !== shard)
      throw failed(
        `${host} says it is of shard ${shardMacro}, like a server that <remote_servers> has in another shard`,
        `${todo} Servers of one <shard> have the same {shard}, others another.`,
      )
    shards.set(shardMacro, shard)
  }
  return `{shard} and {replica} name ${names.size} servers`
}

const namesOf = (servers: readonly OfServer<unknown>[], replicas: readonly ClickHouseReplica[]): string =>
  [...new Set(servers.map(({ server }) => replicas[server - 1]?.host ?? `server ${server}`))].join(', ')
