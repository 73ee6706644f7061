import { describe, expect, it } from 'vitest'
import type { NatsFacts } from '../../log/index.ts'
import { replicationFault } from './clickhouse-behaviour.ts'
import { type ClickHouseReplica, judgeClocks, judgeMacros, judgeReplicas, judgeVersions } from './clickhouse-servers.ts'
import { judgeZeroCopy } from './clickhouse-settings.ts'
import { judgeNats } from './nats.ts'
import { judgeConnections, judgeDurability, judgeLimits } from './postgres.ts'
import { type CheckResult, Checks } from './results.ts'

/** Faults of servers that cannot be made on purpose here: what is said of them. The others are in test/cluster/check.test.ts. */
const resultOf = async (look: () => string): Promise<CheckResult> => {
  const checks = new Checks('ClickHouse', () => {})
  await checks.run('it', look)
  return checks.results[0] as CheckResult
}

/** Shards of these sizes. */
const cluster = (...sizes: number[]): ClickHouseReplica[] =>
  sizes.flatMap((replicas, shard) =>
    Array.from({ length: replicas }, (_, replica) => ({
      shard: shard + 1,
      replica: replica + 1,
      host: `ch-${shard + 1}-${replica + 1}:9000`,
      internalReplication: true,
    })),
  )

const each = <T>(...values: T[]) => values.map((value, index) => ({ server: index + 1, value }))

const macros = (...pairs: [shard: string | null, replica: string | null][]) =>
  pairs.flatMap(([shard, replica], index) =>
    [
      { server: index + 1, macro: 'shard', value: shard },
      { server: index + 1, macro: 'replica', value: replica },
    ].flatMap(({ value, ...rest }) => (value === null ? [] : [{ ...rest, value }])),
  )

describe('what is wrong with a ClickHouse cluster', () => {
  const good: ReadonlyArray<readonly [string, () => string]> = [
    ['two shards of three replicas', () => judgeReplicas(cluster(3, 3), 'main')],
    ['one version', () => judgeVersions(each('26.7.1.1', '26.7.1.1'), cluster(2))],
    ['clocks of the moment', () => judgeClocks(each(1000, 1001), cluster(2), { from: 1_000_400, to: 1_000_900 })],
    ['parts of their own', () => judgeZeroCopy(each('0', 'false'), cluster(2))],
    ['macros of their own', () => judgeMacros(macros(['1', 'a'], ['1', 'b'], ['2', 'a']), cluster(2, 1))],
  ]
  it.each(good)('%s pass', async (_, look) => {
    expect(await resultOf(look)).toMatchObject({ outcome: 'passed' })
  })

  const bad: ReadonlyArray<readonly [string, () => string, CheckResult['outcome'], string, string]> = [
    ['an unknown cluster', () => judgeReplicas([], 'main'), 'failed', 'no cluster "main"', 'remote_servers'],
    [
      'a shard that writes to every replica',
      () =>
        judgeReplicas(
          cluster(3).map((one) => ({ ...one, internalReplication: false })),
          'main',
        ),
      'failed',
      'internal_replication is off for ch-1-1:9000',
      '<internal_replication>true',
    ],
    ['two replicas', () => judgeReplicas(cluster(3, 2), 'main'), 'warning', '2 to 3 replicas', 'third replica'],
    ['one replica', () => judgeReplicas(cluster(1, 1), 'main'), 'warning', '1 replicas each', 'lost with its disk'],
    [
      'different versions',
      () => judgeVersions(each('26.7.1', '26.6.1'), cluster(2)),
      'failed',
      '26.6.1 and 26.7.1',
      'same version',
    ],
    [
      'an old version',
      () => judgeVersions(each('26.7.1', '24.8.1'), cluster(2)),
      'failed',
      'ch-1-2:9000 run 24.8.1',
      '25 or newer',
    ],
    [
      'replicas that share their parts',
      () => judgeZeroCopy(each('0', '1'), cluster(2)),
      'failed',
      'is on at ch-1-2:9000',
      'Set it to 0',
    ],
    [
      'a clock that is ahead',
      () => judgeClocks(each(1000, 1060), cluster(2), { from: 1_000_000, to: 1_000_500 }),
      'failed',
      'the clock of ch-1-2:9000',
      'NTP',
    ],
    [
      'a server without a macro',
      () => judgeMacros(macros(['1', 'a'], ['1', null]), cluster(2)),
      'failed',
      'ch-1-2:9000 has no macro {replica}',
      '<macros>',
    ],
    [
      'two servers of one name',
      () => judgeMacros(macros(['1', 'a'], ['1', 'a']), cluster(2)),
      'failed',
      'both replica a of shard 1',
      'same pair',
    ],
    [
      'a server that takes itself for one of another shard',
      () => judgeMacros(macros(['1', 'a'], ['1', 'b']), cluster(1, 1)),
      'failed',
      'ch-2-1:9000 says it is of shard 1',
      'same {shard}',
    ],
  ]
  it.each(bad)('%s', async (_, look, outcome, detail, todo) => {
    const result = await resultOf(look)
    expect(result.outcome).toBe(outcome)
    expect(result.detail).toContain(detail)
    expect(result.todo).toContain(todo)
  })

  it('replicas of one shard have the same rows, and all shards together every row', () => {
    expect(replicationFault([400, 400, 600, 600], cluster(2, 2), 1000)).toBeNull()
    expect(replicationFault([400, 400, 600, 0], cluster(2, 2), 1000)).toContain('ch-2-2:9000 has 0 rows')
    expect(replicationFault([400, 400, 400, 400], cluster(2, 2), 1000)).toContain('800 rows together')
    expect(replicationFault([], cluster(1), 1000)).toContain('0 rows together')
  })
})

describe('what is wrong with NATS', () => {
  const GOOD: NatsFacts = {
    version: '2.10.4',
    cluster: 'footfall',
    servers: 3,
    maxPayload: 1024 * 1024,
    replicas: 3,
    storageLimit: null,
    logBytes: 0,
    fault: null,
    currentReplicas: 3,
  }
  const judged = async (facts: Partial<NatsFacts>): Promise<CheckResult[]> => {
    const checks = new Checks('NATS', () => {})
    await judgeNats({ ...GOOD, ...facts }, 8_192, checks)
    return checks.results.filter(({ outcome }) => outcome !== 'passed')
  }

  it.each<[Partial<NatsFacts>, CheckResult['outcome'], string]>([
    [{ version: '2.8.4' }, 'failed', '2.8.4'],
    [{ fault: 'no suitable peers' }, 'failed', 'no suitable peers'],
    [{ replicas: 1, servers: 1, cluster: null }, 'warning', 'power cut'],
    [{ servers: 1 }, 'warning', 'told of 1 servers'],
    [{ storageLimit: 1024 ** 3 }, 'warning', '1024 MB'],
    [{ logBytes: 7_000 * 1024 ** 2 }, 'warning', '7000 of 8192 MB'],
    [{ maxPayload: 64_000 }, 'warning', '64000 bytes'],
  ])('%o', async (facts, outcome, detail) => {
    const [first] = await judged(facts)
    expect(first).toMatchObject({ outcome })
    expect(first?.detail).toContain(detail)
    expect(first?.todo).toMatch(/\w/)
  })

  it('nothing, with three servers', async () => {
    expect(await judged({})).toEqual([])
  })
})

describe('what is wrong with PostgreSQL', () => {
  it.each<[() => string, CheckResult['outcome'], string]>([
    [() => judgeDurability(new Map([['fsync', 'off']])), 'failed', 'fsync is off'],
    [() => judgeDurability(new Map([['synchronous_commit', 'off']])), 'failed', 'synchronous_commit is off'],
    [() => judgeDurability(new Map([['synchronous_commit', 'remote_apply']])), 'passed', 'remote_apply'],
    [() => judgeConnections(new Map([['max_connections', '20']])), 'warning', 'max_connections is 20'],
    [() => judgeConnections(new Map([['max_connections', '500']])), 'passed', '500'],
    [() => judgeLimits(new Map([['statement_timeout', '30000']])), 'warning', 'statement_timeout is 30000 ms'],
    [() => judgeLimits(new Map([['statement_timeout', '0']])), 'passed', 'none'],
  ])('%s', async (look, outcome, detail) => {
    expect(await resultOf(look)).toMatchObject({ outcome, detail: expect.stringContaining(detail) })
  })
})
