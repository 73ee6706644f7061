import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onCluster, TABLES } from '../../src/engines/clickhouse/cluster.ts'
import { type ClickHouse, Fragment, openClickHouse } from '../../src/engines/clickhouse/index.ts'
import { onEveryServer } from '../../src/engines/clickhouse/spread-tables.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { CLUSTER, type ClusterEngine, startClusterEngine } from '../support/cluster-engine.ts'
import { migrationStatements } from '../support/migration-statements.ts'
import { startTestZooKeeper, type TestZooKeeper } from '../support/zookeeper.ts'

const DATABASE = 'replicated'
const log = createLogger('silent')

/**
 * The tables of a cluster as a real ZooKeeper keeps them. The library creates replicated tables, but opens no port for
 * other replicas and does not run ON CLUSTER, so a table takes neither rows nor changes here: `footfall cluster check`
 * tries those on real servers.
 */
describe('replicated tables, with a real ZooKeeper', () => {
  let zookeeper: TestZooKeeper
  let folder: string
  let engine: ClusterEngine
  let clickhouse: ClickHouse

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'footfall-replicated-'))
    zookeeper = await startTestZooKeeper()
    // A busy machine must not end the session: the engine would begin anew with every table.
    const keeper = `<zookeeper><node><host>127.0.0.1</host><port>${zookeeper.port}</port></node>
      <session_timeout_ms>120000</session_timeout_ms><operation_timeout_ms>60000</operation_timeout_ms></zookeeper>`
    engine = await startClusterEngine(folder, log, keeper)
    const { socket, url, username, secretFile } = engine.embedded
    clickhouse = openClickHouse({ socket, url, username, secretFile, database: DATABASE, log })
    await clickhouse.createDatabase()
    for (const statement of await clusterStatements()) await run(statement)
  })
  afterAll(async () => {
    await clickhouse?.close()
    await engine?.stop()
    await zookeeper?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (statement: string) =>
    clickhouse.command(new Fragment([statement.replaceAll(` ON CLUSTER '${CLUSTER}'`, '')], []))
  const ask = async <T>(query: string) => (await clickhouse.query<T>(new Fragment([query], []))).rows

  it('every migration creates its tables, each where its kind belongs', async () => {
    // All but the one that says which migrations there were, which is made before the first.
    const rows = await ask<{ table: string; zookeeper_path: string; replica_name: string }>(
      `SELECT table, zookeeper_path, replica_name FROM system.replicas WHERE database = '${DATABASE}' ORDER BY table`,
    )
    const expected = TABLES.filter((name) => name !== 'schema_migrations').map((name) =>
      isEverywhere(name) ? everywhere(name) : sharded(name),
    )
    expect(rows).toEqual(expected.sort((one, other) => (one.table < other.table ? -1 : 1)))
  })

  it('a server that is added gets the table as it is, and is refused with another', async () => {
    const [made] = await ask<{ statement: string }>(
      `SELECT create_table_query AS statement FROM system.tables WHERE database = '${DATABASE}' AND name = 'events_local'`,
    )
    const added = onEveryServer(made?.statement ?? '', 'events_local', CLUSTER)
      .replace('events_local ON', 'events_of_two ON')
      .replace("'{replica}'", "'two'")
    await run(added)
    const [{ replicas }] = (await ask<{ replicas: number }>(
      `SELECT total_replicas AS replicas FROM system.replicas WHERE database = '${DATABASE}' AND table = 'events_local'`,
    )) as [{ replicas: number }]
    expect(replicas).toBe(2)
    const three = added.replace('events_of_two', 'events_of_three')
    await expect(run(three), 'the name of another').rejects.toThrow(/REPLICA_ALREADY_EXISTS|already exists/)
    const other = three.replace("'two'", "'three'").replace(/`event` \S+?,/, '`event` UInt64,')
    await expect(run(other), 'other columns').rejects.toThrow(/INCOMPATIBLE_COLUMNS|differ/)
  })
})

/** Every statement of the migrations that creates something. */
async function clusterStatements(): Promise<string[]> {
  return (await migrationStatements())
    .flatMap((one) => onCluster(one, { cluster: CLUSTER, database: DATABASE }))
    .filter((statement) => statement.startsWith('CREATE'))
}

/** Those without a Distributed table before them. */
const EVERYWHERE = new Set(['persons', 'person_overrides', 'groups', 'cohort_people'])
const isEverywhere = (name: string) => EVERYWHERE.has(name)
const sharded = (name: string) => ({
  table: `${name}_local`,
  zookeeper_path: `/clickhouse/tables/1/${DATABASE}/${name}_local`,
  replica_name: 'one',
})
const everywhere = (name: string) => ({
  table: name,
  zookeeper_path: `/clickhouse/tables/everywhere/${DATABASE}/${name}`,
  replica_name: '1-one',
})
