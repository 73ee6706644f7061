import { type ClickHouse, sql } from '../../engines/clickhouse/index.ts'
import { pause } from '../../lib/pause.ts'
import { type ClickHouseReplica, everywhere } from './clickhouse-servers.ts'
import { failed } from './results.ts'

/**
 * What the servers do with our own tables, in a scratch database: rows are inserted, sent again, asked for through
 * every server, and changed.
 */
export interface Scratch {
  /** In the scratch database, with our tables. */
  readonly clickhouse: ClickHouse
  readonly cluster: string | undefined
  readonly replicas: readonly ClickHouseReplica[]
}

const ROWS = 1_000
const PROJECT = 1
const REPLICATED_WITHIN_MS = 30_000
const POLL_MS = 200

const rowsOf = (first: number): string =>
  Array.from({ length: ROWS }, (_, i) =>
    JSON.stringify({ project_id: PROJECT, uuid: first + i, timestamp: '2026-01-01 00:00:00.000000' }),
  ).join('\n')

export async function storesRows({ clickhouse, replicas }: Scratch): Promise<string> {
  await clickhouse.insert('event_uuids', rowsOf(0), { token: 'first' })
  await expectRows(clickhouse, ROWS, 'after an insert of that many')
  return replicas.length > 1 ? 'most replicas of each shard have confirmed an insert' : 'an insert is stored'
}

/** Further rows, and a question about them. */
export async function storesMore(clickhouse: ClickHouse): Promise<void> {
  const before = await countRows(clickhouse)
  await clickhouse.insert('event_uuids', rowsOf(ROWS), { token: 'second' })
  await expectRows(clickhouse, before + ROWS, 'after a further insert')
}

/** How we make sure that no row is stored twice, whatever connection breaks: the rows are sent again under one token. */
export async function recognisesRepeats(
  { clickhouse }: Scratch,
  through: ClickHouse,
  expected: number = ROWS,
): Promise<string> {
  await through.insert('event_uuids', rowsOf(0), { token: 'first' })
  const count = await countRows(clickhouse)
  if (count !== expected)
    throw failed(
      `the same rows under the same token are stored again: ${count} rows instead of ${expected}`,
      'Look at insert_deduplicate in the settings of the user (it must be 1), and whether {shard} is the same for all replicas of a shard: only they know each other’s tokens.',
    )
  return 'the same rows under the same token are not stored again'
}

/** Every replica has what its shard was given, and all shards together have everything. */
export async function replicates({ clickhouse, cluster = '', replicas }: Scratch, expected: number): Promise<string> {
  const end = Date.now() + REPLICATED_WITHIN_MS
  for (;;) {
    const counts = await countOnEach(clickhouse, cluster)
    const fault = replicationFault(counts, replicas, expected)
    if (fault === null) return `every replica has the rows of its shard: ${counts.join(' + ')}`
    if (Date.now() > end)
      throw failed(
        `${fault} after ${REPLICATED_WITHIN_MS / 1000} s`,
        'Look into system.replication_queue of that server: it must reach the others on their interserver port (interserver_http_host, 9009).',
      )
    await pause(POLL_MS)
  }
}

export function replicationFault(
  counts: readonly number[],
  replicas: readonly Pick<ClickHouseReplica, 'shard' | 'host'>[],
  expected: number,
): string | null {
  const shards = new Map<number, { readonly count: number; readonly host: string }>()
  for (const [index, { shard, host }] of replicas.entries()) {
    const count = counts[index] ?? 0
    const other = shards.get(shard)
    if (other && other.count !== count)
      return `${host} has ${count} rows, ${other.host} of the same shard ${other.count}`
    shards.set(shard, { count, host })
  }
  const sum = [...shards.values()].reduce((total, { count }) => total + count, 0)
  return sum === expected ? null : `the shards have ${sum} rows together, not ${expected}`
}

/** The answer of the whole cluster, and those of its servers. */
export async function answersAgree({ clickhouse, cluster = '', replicas }: Scratch): Promise<string> {
  const { rows: whole } = await clickhouse.query<{ n: number; sum: number }>(
    sql`SELECT uniqExact(uuid) AS n, toUInt64(sum(uuid)) AS sum FROM event_uuids
      WHERE project_id = 1 AND uuid IN (SELECT uuid FROM event_uuids WHERE project_id = 1)`,
  )
  const { rows: each } = await clickhouse.query<{ server: number; sum: number }>(
    sql`SELECT _shard_num AS server, toUInt64(sum(uuid)) AS sum
      FROM ${everywhere(cluster, `${clickhouse.database}.event_uuids_local`)} GROUP BY server`,
  )
  const sums = new Map(each.map(({ server, sum }) => [Number(server), Number(sum)]))
  const shards = new Map(replicas.map(({ shard }, index) => [shard, sums.get(index + 1) ?? 0]))
  const together = [...shards.values()].reduce((total, sum) => total + sum, 0)
  const [answer] = whole
  if (Number(answer?.n) !== ROWS || Number(answer?.sum) !== together)
    throw failed(
      `a question to all shards is answered with ${answer?.n} rows (sum ${answer?.sum}), the shards alone have the sum ${together}`,
      'Look at the users’ settings on every server: they must be the same, above all distributed_product_mode and prefer_localhost_replica.',
    )
  return 'a question to all shards is answered as by the shards alone'
}

export async function mutates({ clickhouse, cluster, replicas }: Scratch): Promise<string> {
  const { rows } = await clickhouse.query<{ n: number }>(sql`SELECT count() AS n FROM event_uuids WHERE uuid < 500`)
  const left = Number(rows[0]?.n ?? 0)
  await clickhouse.command(sql`ALTER TABLE event_uuids DELETE WHERE project_id = 1 AND uuid >= 500`, {
    settings: { mutations_sync: 2 },
  })
  await expectRows(clickhouse, left, 'after the others were deleted')
  if (cluster !== undefined) {
    const fault = replicationFault(await countOnEach(clickhouse, cluster), replicas, left)
    if (fault !== null)
      throw failed(
        `a deletion was confirmed, but ${fault}`,
        'Look into system.mutations of that server for latest_fail_reason.',
      )
  }
  return 'a deletion is done everywhere when it is confirmed'
}

async function expectRows(clickhouse: ClickHouse, expected: number, when: string): Promise<void> {
  const count = await countRows(clickhouse)
  if (count !== expected)
    throw failed(
      `${count} rows instead of ${expected} ${when}`,
      'Look at <remote_servers>: every server must be in it once, under the same shard on all servers.',
    )
}

const countRows = async (clickhouse: ClickHouse): Promise<number> =>
  Number((await clickhouse.query<{ n: number }>(sql`SELECT count() AS n FROM event_uuids`)).rows[0]?.n ?? 0)

async function countOnEach(clickhouse: ClickHouse, cluster: string): Promise<number[]> {
  const { rows } = await clickhouse.query<{ server: number; n: number }>(
    sql`SELECT _shard_num AS server, count() AS n
      FROM ${everywhere(cluster, `${clickhouse.database}.event_uuids_local`)} GROUP BY server`,
  )
  const counts: number[] = []
  for (const { server, n } of rows) counts[Number(server) - 1] = Number(n)
  return Array.from(counts, (count) => count ?? 0)
}
