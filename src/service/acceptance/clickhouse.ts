import { randomBytes } from 'node:crypto'
import {
  applyClickHouseMigrations,
  type ClickHouse,
  type ClickHouseServer,
  Fragment,
  openClickHouse,
  spreadTables,
  sql,
} from '../../engines/clickhouse/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { type Config, ConfigError } from '../startup/config.ts'
import {
  answersAgree,
  mutates,
  recognisesRepeats,
  replicates,
  type Scratch,
  storesRows,
} from './clickhouse-behaviour.ts'
import {
  type ClickHouseReplica,
  judgeClocks,
  judgeMacros,
  judgeReplicas,
  judgeVersions,
  readClocks,
  readMacros,
  readReplicas,
  readVersions,
} from './clickhouse-servers.ts'
import { keeperAnswers, logsExpire, noZeroCopy } from './clickhouse-settings.ts'
import { type Checks, failed, skipped } from './results.ts'
import { type WithReplicaStopped, withReplicaStopped } from './stopped-replica.ts'

interface Options {
  readonly log: Logger
  /** Set when somebody is there to stop a server and start it again. */
  readonly stopped?: WithReplicaStopped | undefined
}

const ROWS = 1_000

/** The checks of a ClickHouse server or cluster. The scratch database is removed at the end, whatever happens. */
export async function checkClickHouse(config: Config, checks: Checks, options: Options): Promise<void> {
  const { clickhouse_url: url = '', clickhouse_cluster: cluster } = config
  const named = cluster === undefined ? {} : { cluster }
  const outside = openClickHouse({ url, database: 'default', log: options.log })
  try {
    const answers = await checks.run('the server answers', async () => {
      const { rows } = await outside.query<{ version: string }>(sql`SELECT version() AS version`)
      return `version ${rows[0]?.version}`
    })
    if (!answers) return
    const replicas = await checkServers(outside, cluster, checks)
    if (replicas === null) return
    const database = `footfall_check_${randomBytes(6).toString('hex')}`
    const scratch = openClickHouse({ url, database, ...named, log: options.log })
    try {
      await checkScratch({ clickhouse: scratch, cluster, replicas }, { ...named, url, database }, checks, options)
    } finally {
      await scratch.close()
      await checks.run('the scratch database is removed', () => dropDatabase(outside, database, cluster))
    }
  } finally {
    await outside.close()
  }
}

/** What the servers say of themselves. Null when they cannot be asked more. */
async function checkServers(
  clickhouse: ClickHouse,
  cluster: string | undefined,
  checks: Checks,
): Promise<ClickHouseReplica[] | null> {
  if (cluster === undefined) {
    await checks.run('there are replicas', () => {
      throw skipped('FOOTFALL_CLICKHOUSE_CLUSTER is not set: this is one server, and its disk the only copy')
    })
    await checks.run('parts are not shared in object storage', () => noZeroCopy(clickhouse, undefined, []))
    await checks.run('logs of the server expire', () => logsExpire(clickhouse, undefined, []))
    return []
  }
  let replicas: ClickHouseReplica[] = []
  const known = await checks.run('the cluster is defined', async () => {
    replicas = await readReplicas(clickhouse, cluster)
    return judgeReplicas(replicas, cluster)
  })
  if (!known) return null
  const reached = await checks.run('every server answers, with the same version', async () =>
    judgeVersions(await readVersions(clickhouse, cluster), replicas),
  )
  if (!reached) return null
  await checks.run('the clocks agree', async () => {
    const from = Date.now()
    const clocks = await readClocks(clickhouse, cluster)
    return judgeClocks(clocks, replicas, { from, to: Date.now() })
  })
  await checks.run('every server has its macros', async () =>
    judgeMacros(await readMacros(clickhouse, cluster), replicas),
  )
  await checks.run('Keeper answers', () => keeperAnswers(clickhouse, cluster))
  await checks.run('parts are not shared in object storage', () => noZeroCopy(clickhouse, cluster, replicas))
  await checks.run('logs of the servers expire', () => logsExpire(clickhouse, cluster, replicas))
  return replicas
}

/** What the servers do with our tables. */
async function checkScratch(
  scratch: Scratch,
  server: ClickHouseServer,
  checks: Checks,
  options: Options,
): Promise<void> {
  const { clickhouse, cluster, replicas } = scratch
  const made = await checks.run('our tables can be made', async () => {
    await applyClickHouseMigrations(clickhouse, options.log)
    return cluster === undefined ? 'on the server' : 'on every server, replicated and distributed'
  })
  if (!made || !(await checks.run('rows are stored', () => storesRows(scratch)))) return
  if (cluster !== undefined) {
    await checks.run('rows are replicated', () => replicates(scratch, ROWS))
    await checks.run('distributed answers equal local ones', () => answersAgree(scratch))
  }
  await checks.run('an insert that is sent again is recognised', () => recognisesRepeats(scratch, clickhouse))
  if (cluster !== undefined)
    await checks.run('also by another replica', () => recognisedByAnother(scratch, server, options.log))
  await checks.run('mutations run on all replicas', () => mutates(scratch))
  if (cluster !== undefined)
    await checks.run('one replica may be away', () => {
      if (options.stopped === undefined)
        throw skipped('run `footfall cluster check --stop-a-replica` while you can stop a server and start it again')
      return withReplicaStopped(scratch, replicas, options.stopped)
    })
}

/** Makes the tables on servers that were added to the cluster. */
export async function makeTablesEverywhere(
  { clickhouse_url, clickhouse_cluster }: Config,
  log: Logger,
): Promise<string[]> {
  if (clickhouse_url === undefined || clickhouse_cluster === undefined)
    throw new ConfigError(
      'FOOTFALL_CLICKHOUSE_URL and FOOTFALL_CLICKHOUSE_CLUSTER are needed: there is no cluster to make tables on',
    )
  const clickhouse = openClickHouse({ url: clickhouse_url, cluster: clickhouse_cluster, log })
  try {
    return await spreadTables(clickhouse, clickhouse_cluster)
  } finally {
    await clickhouse.close()
  }
}

/** The other servers are expected on the same HTTP port as the one we know. */
async function recognisedByAnother(scratch: Scratch, server: ClickHouseServer, log: Logger): Promise<string> {
  const address = new URL(server.url)
  const others = scratch.replicas.map(({ host }) => host.replace(/:\d+$/, ''))
  const [other] = others.filter((host) => host !== address.hostname && host !== '127.0.0.1' && host !== 'localhost')
  if (other === undefined) throw skipped('no other server of the cluster has an address of its own')
  address.hostname = other
  const through = openClickHouse({ ...server, url: address.href, log })
  try {
    if (!(await through.ping())) throw skipped(`${address.host} does not answer over HTTP from here`)
    return await recognisesRepeats(scratch, through)
  } finally {
    await through.close()
  }
}

async function dropDatabase(clickhouse: ClickHouse, database: string, cluster: string | undefined): Promise<string> {
  const everyone = cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`
  try {
    await clickhouse.command(new Fragment([`DROP DATABASE IF EXISTS \`${database}\`${everyone} SYNC`], []))
  } catch (error) {
    throw failed((error as Error).message, `Remove it yourself: DROP DATABASE IF EXISTS ${database}${everyone} SYNC`)
  }
  return database
}
