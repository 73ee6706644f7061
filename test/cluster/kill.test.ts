import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestCluster, type TestCluster } from '../support/cluster.ts'
import { expectExactlyOnce, statusOf, storedMarkers } from '../support/exactly-once.ts'
import { Load } from '../support/load.ts'
import type { TestService } from '../support/service.ts'

/** Two captures, pipelines that share 16 partitions, api and jobs, on a NATS cluster of three: any of them may die in the middle of a load. */
describe('kill -9 of processes of a cluster, in the middle of a load', () => {
  let cluster: TestCluster
  let captures: TestService[]
  let pipelines: TestService[]
  let api: TestService

  beforeAll(async () => {
    cluster = await startTestCluster({ natsNodes: 3, env: { FOOTFALL_PARTITIONS: '16' } })
    const services = await Promise.all(
      ['capture', 'capture', 'pipeline', 'pipeline', 'api,jobs'].map((roles) => cluster.start(roles)),
    )
    captures = services.slice(0, 2)
    pipelines = services.slice(2, 4)
    api = services.at(-1) as TestService
  }, 300_000)
  afterAll(() => cluster?.stop(), 120_000)

  /** Waits until everything that was acknowledged is stored, and nothing waits any more; then nothing may be there twice. */
  const expectStored = async (load: Load, event: string) => {
    const isThere = async () => {
      const stored = await storedMarkers(api, event)
      return [...load.acknowledged].every((marker) => stored.has(marker))
    }
    // What a capture says of the backlog is some moments old, so it is not enough.
    for (let look = 0; look < 600; look++) {
      const [{ owed }] = await cluster.postgres.sql<[{ owed: number }]>`SELECT count(*) AS owed FROM clickhouse_outbox`
      const backlog = (await statusOf(captures[0] as TestService))?.log?.backlog_bytes
      if (owed === 0 && backlog === 0 && (await isThere())) break
      await delay(250)
    }
    expectExactlyOnce(load, await storedMarkers(api, event))
  }

  const again = async (services: TestService[], which: number, roles: string) => {
    const service = services[which] as TestService
    await service.kill9()
    await delay(300)
    services[which] = await cluster.start(roles, service)
  }

  /** A load on both captures, which goes on while something happens. */
  async function during(event: string, happen: () => Promise<void>): Promise<Load> {
    const loads = captures.map(() => new Load(event))
    for (const [i, load] of loads.entries()) load.start((captures[i] as TestService).url, 3)
    const more = async () => {
      const taken = () => loads.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)
      const before = taken()
      await api.waitFor(async () => taken() > before + 25, 'events to be taken')
    }
    await more()
    await happen()
    await more()
    await Promise.all(loads.map((load) => load.stop()))
    const all = new Load(event)
    for (const load of loads) {
      for (const marker of load.sent) all.sent.add(marker)
      for (const marker of load.acknowledged) all.acknowledged.add(marker)
    }
    return all
  }

  const deaths: [string, () => Promise<void>][] = [
    ['a capture', () => again(captures, 1, 'capture')],
    [
      'both pipelines, one after the other',
      async () => {
        await again(pipelines, 0, 'pipeline')
        await again(pipelines, 1, 'pipeline')
      },
    ],
    [
      'a server of NATS',
      async () => {
        await cluster.nats.kill9(1)
        await delay(1_500)
        await cluster.nats.restart(1)
      },
    ],
  ]

  it.each(deaths)('of %s: every acknowledged event is stored exactly once', { timeout: 480_000 }, async (what, die) => {
    const event = `killed ${what}`
    const load = await during(event, die)
    await expectStored(load, event)
  })

  it('two more pipelines and a rolling restart of all four lose nothing', { timeout: 480_000 }, async () => {
    const load = await during('rolling', async () => {
      pipelines.push(...(await Promise.all(['pipeline', 'pipeline'].map((roles) => cluster.start(roles)))))
      for (const which of pipelines.keys()) {
        const pipeline = pipelines[which] as TestService
        await pipeline.terminate()
        pipelines[which] = await cluster.start('pipeline', pipeline)
      }
    })
    await expectStored(load, 'rolling')
  })

  it('each partition has one owner at the end, and nothing is among the dead letters', async () => {
    const [{ dead }] = await cluster.postgres.sql<[{ dead: number }]>`SELECT count(*) AS dead FROM dead_letters`
    expect(dead).toBe(0)
    await api.waitFor(async () => {
      const rows = await cluster.postgres.sql`SELECT 1 FROM partition_leases WHERE expires_at > now()`
      return rows.length === 16 + 2
    }, 'every partition to have an owner')
  })
})
