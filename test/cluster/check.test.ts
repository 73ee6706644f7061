import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { CLUSTER, type ClusterEngine, clusterAddress, startClusterEngine } from '../support/cluster-engine.ts'
import { startTestNats, type TestNats } from '../support/nats.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts'
import { runCli } from '../support/service.ts'
import { HAS_ZOOKEEPER, startTestZooKeeper, type TestZooKeeper } from '../support/zookeeper.ts'

interface Result {
  readonly about: string
  readonly check: string
  readonly outcome: string
  readonly detail: string
  readonly todo?: string
}

const WHY = HAS_ZOOKEEPER ? '' : ' (skipped: Debian’s package zookeeper is not installed)'

describe.skipIf(!HAS_ZOOKEEPER)(`footfall cluster check${WHY}`, () => {
  const log = createLogger('silent')
  let folder: string
  let zookeeper: TestZooKeeper
  let nats: TestNats
  let postgres: OwnPostgres
  let engine: ClusterEngine
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'footfall-check-'))
    ;[zookeeper, nats, postgres] = await Promise.all([startTestZooKeeper(), startTestNats(), startOwnPostgres()])
    const keeper = `<zookeeper><node><host>127.0.0.1</host><port>${zookeeper.port}</port></node></zookeeper>`
    engine = await startClusterEngine(folder, log, keeper)
  })
  afterAll(async () => {
    await Promise.all([engine?.stop(), zookeeper?.stop(), nats?.stop(), postgres?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const check = async (env: Record<string, string>) => {
    const { code, stdout, stderr } = await runCli(['cluster', 'check', '--json'], env)
    expect(stderr).toBe('')
    const results: Result[] = JSON.parse(stdout)
    const of = (name: string) => results.find((result) => result.check === name)
    return { code, results, of }
  }
  const clickhouse = (cluster = CLUSTER) => ({
    FOOTFALL_CLICKHOUSE_URL: clusterAddress(engine, 'footfall'),
    FOOTFALL_CLICKHOUSE_CLUSTER: cluster,
  })

  it('passes on servers that are as they should be, and leaves nothing behind', async () => {
    const { results } = await check({ FOOTFALL_NATS_URL: nats.url, FOOTFALL_POSTGRES_URL: postgres.url, ...clickhouse() })
    const odd = results.filter(({ outcome }) => outcome !== 'passed').map(({ check, outcome }) => `${check}: ${outcome}`)
    // The two shards are one engine, which takes the same token for one insert: so it keeps no tokens for them.
    expect(odd).toEqual([
      'records outlive a server: warning',
      'the cluster is defined: warning',
      'every server has its macros: failed',
    ])
    expect(await postgres.sql`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'footfall_check%'`).toEqual([])
  })
})
