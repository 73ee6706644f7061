import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fragment } from '../../src/engines/clickhouse/index.ts'
import { startTestCluster, type TestCluster } from '../support/cluster.ts'
import { areStored, expectExactlyOnce, storedMarkers } from '../support/exactly-once.ts'
import { Load } from '../support/load.ts'
import { kill9, processTree, sendSignal } from '../support/process-tree.ts'
import type { TestService } from '../support/service.ts'
import { statusOf } from '../support/status.ts'

type Engine = TestCluster['postgres'] | TestCluster['engine']

/** Two captures, pipelines that share 16 partitions, api and jobs, on a NATS cluster of three: any of them may fail in the middle of a load. */
describe('faults of a cluster, in the middle of a load', () => {
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
  })
  afterAll(() => cluster?.stop())

  /** Waits until everything that was acknowledged is stored, and nothing waits any more; then nothing may be there twice. */
  const expectStored = async (load: Load, event: string) => {
    let waiting: { owed: number; backlog: number | undefined } = { owed: 0, backlog: undefined }
    // What a capture says of the backlog is some moments old, so it is not enough.
    for (let look = 0; look < 600; look++) {
      const [{ owed }] = await cluster.postgres.sql<[{ owed: number }]>`SELECT count(*) AS owed FROM clickhouse_outbox`
      waiting = { owed, backlog: (await statusOf(captures[0] as TestService))?.log?.backlog_bytes }
      if (owed === 0 && waiting.backlog === 0 && (await areStored(api, event, load.acknowledged))) break
      await delay(250)
    }
    // What still waits is late, not lost.
    expect(waiting).toEqual({ owed: 0, backlog: 0 })
    expectExactlyOnce(load, await storedMarkers(api, event))
  }

  const again = async (services: TestService[], which: number, roles: string) => {
    const service = services[which] as TestService
    await service.kill9()
    await delay(300)
    services[which] = await cluster.start(roles, service)
  }

  /** A load on both captures, which goes on while something happens. */
  async function during(event: string, happen: (refused: () => number) => Promise<void>): Promise<Load> {
    const loads = captures.map(() => new Load(event, { pauseMs: 100 }))
    for (const [i, load] of loads.entries()) load.start((captures[i] as TestService).url, 3)
    const sum = (of: (load: Load) => number) => loads.reduce((all, load) => all + of(load), 0)
    const more = async () => {
      const taken = () => sum(({ acknowledged }) => acknowledged.size)
      const before = taken()
      await api.waitFor(async () => taken() > before + 25, 'events to be taken')
    }
    try {
      await more()
      await happen(() => sum(({ refused }) => refused))
      await more()
    } finally {
      await Promise.all(loads.map((load) => load.stop()))
    }
    return Load.of(event, loads)
  }

  const restarted = async ({ embedded }: Engine, end: (engine: ReturnType<typeof processTree>) => void) => {
    const { restarts } = embedded
    end(processTree(embedded.pid ?? 0))
    await api.waitFor(async () => embedded.restarts > restarts, 'an engine to end')
    await embedded.whenReady()
  }

  /** Until all partitions of a process have other owners; how long that took is printed. */
  const handedOver = async ({ data }: TestService, since: number) => {
    const name = (await readFile(path.join(data, 'process-name'), 'utf8')).trim()
    await api.waitFor(async () => {
      const rows = await cluster.postgres.sql`
        SELECT 1 FROM partition_leases WHERE owner <> ${name} AND expires_at > now()`
      return rows.length === 16 + 2
    }, 'the partitions to have other owners')
    console.log(`hand-over of the partitions of a frozen process: ${((performance.now() - since) / 1000).toFixed(1)} s`)
  }

  /** What happens, and whether a client may notice: a connection to a capture that dies breaks, whatever we do. */
  const faults: [
    what: string,
    mayNotice: 'nothing' | 'broken' | 'all',
    happen: (refused: () => number) => Promise<void>,
  ][] = [
    ['a capture is killed', 'broken', () => again(captures, 1, 'capture')],
    [
      'both pipelines are killed, one after the other',
      'nothing',
      async () => {
        await again(pipelines, 0, 'pipeline')
        await again(pipelines, 1, 'pipeline')
      },
    ],
    [
      'api and jobs are killed',
      'nothing',
      async () => {
        const services = [api]
        await again(services, 0, 'api,jobs')
        api = services[0] as TestService
      },
    ],
    [
      'a server of NATS is killed',
      'nothing',
      async () => {
        await cluster.nats.kill9(1)
        await delay(1_500)
        await cluster.nats.restart(1)
      },
    ],
    [
      'PostgreSQL is restarted, and then killed',
      'nothing',
      async () => {
        await restarted(cluster.postgres, ([server]) => sendSignal('SIGINT', server ? [server] : []))
        await restarted(cluster.postgres, kill9)
      },
    ],
    ['ClickHouse is killed', 'nothing', () => restarted(cluster.engine, kill9)],
    [
      'a pipeline is frozen, and wakes up when others have its partitions',
      'nothing',
      async () => {
        const frozen = pipelines[0] as TestService
        const since = performance.now()
        process.kill(frozen.pid, 'SIGSTOP')
        try {
          await handedOver(frozen, since)
        } finally {
          process.kill(frozen.pid, 'SIGCONT')
        }
      },
    ],
    [
      'two of three NATS servers are killed, and a capture and a pipeline are stopped meanwhile',
      'all',
      async (refused) => {
        const before = refused()
        await Promise.all([1, 2].map((node) => cluster.nats.kill9(node)))
        await api.waitFor(async () => refused() > before, 'events to be refused')
        const stopped = [captures[1], pipelines[0]] as [TestService, TestService]
        expect(await Promise.all(stopped.map((service) => service.terminate()))).toEqual([0, 0])
        for (const node of [1, 2]) await cluster.nats.restart(node)
        captures[1] = await cluster.start('capture', stopped[0])
        pipelines[0] = await cluster.start('pipeline', stopped[1])
      },
    ],
  ]

  it.each(faults)('%s: every acknowledged event is stored exactly once', async (what, mayNotice, happen) => {
    const load = await during(what, happen)
    if (mayNotice !== 'all') expect(load.refused).toBe(0)
    if (mayNotice === 'nothing') expect(load.broken).toBe(0)
    await expectStored(load, what)
  })

  it('two more pipelines and a rolling restart of all four lose nothing', async () => {
    const load = await during('rolling', async () => {
      pipelines.push(...(await Promise.all(['pipeline', 'pipeline'].map((roles) => cluster.start(roles)))))
      for (const which of pipelines.keys()) {
        const pipeline = pipelines[which] as TestService
        await pipeline.terminate()
        pipelines[which] = await cluster.start('pipeline', pipeline)
      }
    })
    expect({ refused: load.refused, broken: load.broken }).toEqual({ refused: 0, broken: 0 })
    await expectStored(load, 'rolling')
  })

  it('jobs are killed while ClickHouse erases a person: it is erased once, and nothing is left', async () => {
    const { sql } = cluster.postgres
    const ask = async <T>(query: string) =>
      (await cluster.engine.clickhouse.query<T>(new Fragment([query], []))).rows[0] as T
    const who = Array.from({ length: 5 }, () => ({ event: 'erased', distinct_id: 'erase me' }))
    await captures[0]?.capture(who)
    await api.waitFor(async () => (await api.api('events/?event=erased')).body.results.length === 5, 'the events')
    await cluster.engine.clickhouse.command('SYSTEM STOP MERGES cluster.events')
    const body = { distinct_ids: ['erase me'], delete_events: true }
    expect((await api.api('persons/bulk_delete/', { body })).status).toBe(202)
    await sql`UPDATE deletions SET scheduled_for = now()`
    await sql`UPDATE scheduled_jobs SET next_run_at = now() WHERE name = 'deletions'`
    const deletion = async () => (await api.api('deletions/')).body.results[0]
    await api.waitFor(async () => (await deletion())?.progress?.table === 'events', 'ClickHouse to erase the events')

    await sql`UPDATE scheduled_jobs SET last_started_at = NULL WHERE name = 'deletions'`
    const services = [api]
    await again(services, 0, 'api,jobs')
    api = services[0] as TestService
    await api.waitFor(async () => {
      const [job] = await sql`SELECT last_started_at FROM scheduled_jobs WHERE name = 'deletions'`
      return job?.last_started_at != null
    }, 'the deletions to be run again')
    expect(await deletion()).toMatchObject({ status: 'pending', events_deleted: 5 })
    await cluster.engine.clickhouse.command('SYSTEM START MERGES cluster.events')
    await api.waitFor(async () => (await deletion()).status === 'done', 'the person to be erased')
    expect(await deletion()).toMatchObject({ events_deleted: 5, verified: true, error: null, progress: null })
    const left = `SELECT count() AS n FROM cluster.events WHERE distinct_id = 'erase me'`
    const times = `SELECT count() AS n FROM system.mutations
      WHERE database = 'cluster' AND table = 'events' AND command LIKE '%DELETE%'`
    expect([await ask(left), await ask(times)]).toEqual([{ n: 0 }, { n: 1 }])
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
