import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyClickHouseMigrations, openClickHouse, sql } from '../../src/engines/clickhouse/index.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { CLUSTER, type ClusterEngine, clusterAddress, startClusterEngine } from '../support/cluster-engine.ts'
import { startTestNats, type TestNats } from '../support/nats.ts'
import { type OverTcp, overTcp } from '../support/over-tcp.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts'
import { runCli } from '../support/service.ts'

interface Result {
  readonly about: string
  readonly check: string
  readonly outcome: string
  readonly detail: string
  readonly todo?: string
}

describe('footfall cluster check', () => {
  const log = createLogger('silent')
  let folder: string
  let nats: TestNats
  let postgres: OwnPostgres
  let engine: ClusterEngine
  /** The same engine as one server. */
  let alone: OverTcp
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-check-'))
    ;[nats, postgres, engine] = await Promise.all([
      startTestNats(),
      startOwnPostgres(),
      startClusterEngine(folder, log),
    ])
    alone = await overTcp(engine.embedded)
  })
  afterAll(async () => {
    alone?.close()
    await Promise.all([engine?.stop(), nats?.stop(), postgres?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const check = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await runCli(['cluster', 'check', '--json'], env)
    expect(stderr).toBe('')
    const results: Result[] = JSON.parse(stdout)
    const odd = results
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ check, outcome }) => `${check}: ${outcome}`)
    return { code, results, odd, of: (name: string) => results.find((result) => result.check === name) }
  }
  const clickhouse = () => ({
    FOOTFALL_CLICKHOUSE_URL: clusterAddress(engine, 'footfall'),
    FOOTFALL_CLICKHOUSE_CLUSTER: CLUSTER,
  })
  const databases = async () => {
    const client = openClickHouse({ ...engine.embedded, database: 'default', log })
    const { rows } = await client.query<{ name: string }>(sql`SELECT name FROM system.databases`)
    await client.close()
    return rows.map(({ name }) => name).filter((name) => name.startsWith('footfall_check'))
  }

  it('tells everything that is wrong with a cluster of one engine, and removes its scratch database', async () => {
    const { code, odd, of } = await check(clickhouse())
    expect(odd).toEqual([
      // One replica of each shard.
      'the cluster is defined: warning',
      // Both shards have the macros of the one engine.
      'every server has its macros: failed',
      'Keeper answers: failed',
      // The engine keeps no tokens for tables of shards: it would take one insert into both for a repeated one.
      'an insert that is sent again is recognised: failed',
      'also by another replica: skipped',
      'one replica may be away: skipped',
    ])
    expect(of('every server answers, with the same version')?.detail).toContain('2 servers')
    expect(of('rows are replicated')?.detail).toMatch(/\d+ \+ \d+$/)
    expect(of('every server has its macros')?.todo).toContain('<macros>')
    expect(of('an insert that is sent again is recognised')?.detail).toContain('2000 rows instead of 1000')
    expect(code).toBe(1)
    expect(await databases()).toEqual([])
  })

  it('passes for one server, NATS and PostgreSQL, and leaves nothing in them', async () => {
    const { code, odd } = await check({
      FOOTFALL_CLICKHOUSE_URL: alone.address('footfall'),
      FOOTFALL_NATS_URL: nats.url,
      FOOTFALL_POSTGRES_URL: postgres.url,
    })
    expect(odd).toEqual([
      // The embedded one has room for one process.
      'there are connections for all processes: warning',
      'records outlive a server: warning',
      'there are replicas: skipped',
    ])
    expect(code).toBe(0)
    expect(await databases()).toEqual([])
    expect(await postgres.sql`SELECT 1 FROM pg_namespace WHERE nspname LIKE 'footfall_check%'`).toHaveLength(0)
  })

  it.each<[string, () => Record<string, string>, string, string]>([
    [
      'a cluster that nobody has defined',
      () => ({ ...clickhouse(), FOOTFALL_CLICKHOUSE_CLUSTER: 'elsewhere' }),
      'the cluster is defined: failed',
      'FOOTFALL_CLICKHOUSE_CLUSTER',
    ],
    [
      'a wrong password',
      () => ({ FOOTFALL_CLICKHOUSE_URL: clusterAddress(engine, 'footfall').replace('@', 'x@') }),
      'the server answers: failed',
      'ClickHouse reports',
    ],
    ['no NATS', () => ({ FOOTFALL_NATS_URL: 'nats://127.0.0.1:9' }), 'JetStream answers: failed', '-js'],
    [
      'fewer NATS servers than replicas',
      () => ({ FOOTFALL_NATS_URL: `${nats.url}?replicas=3` }),
      'a record is stored, and read back: failed',
      'are there so many',
    ],
    [
      'a time limit on statements in PostgreSQL',
      () => ({ FOOTFALL_POSTGRES_URL: `${postgres.url}?statement_timeout=5000` }),
      'no limit ends our transactions: warning',
      'ALTER ROLE',
    ],
  ])('%s', async (_, env, outcome, todo) => {
    const { odd, results } = await check(env())
    expect(odd).toContain(outcome)
    expect(results.find(({ check, outcome: found }) => `${check}: ${found}` === outcome)?.todo).toContain(todo)
  })

  it('says in words what passed, what failed, why and what to do', async () => {
    const { code, stdout } = await runCli(['cluster', 'check'], { FOOTFALL_NATS_URL: nats.url })
    expect(stdout).toMatch(/^ok {4}NATS {8}JetStream answers: version /)
    expect(stdout).toMatch(/\nwarn {2}NATS {8}records outlive a server: .*\n +-> Run three servers/)
    expect(stdout).toMatch(/\n\n4 passed, 0 failed, 1 warning, 0 skipped\n$/)
    expect(code).toBe(0)
    const nothing = await runCli(['cluster', 'check'])
    expect(nothing.stderr).toContain('no setting names a server')
  })

  it('the tables of a cluster are made again without changing those that are there', async () => {
    const client = openClickHouse({ ...engine.server, database: 'footfall', log })
    await applyClickHouseMigrations(client, log)
    const definitions = () =>
      client.query(sql`SELECT name, uuid FROM system.tables WHERE database = 'footfall' ORDER BY name`)
    const { rows: before } = await definitions()
    const { code, stdout, stderr } = await runCli(['cluster', 'tables'], clickhouse())
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\d\d tables are on every server of the cluster: .*\bpersons\b.*\bevents\b/)
    expect((await definitions()).rows).toEqual(before)
    await client.close()
  })
})
