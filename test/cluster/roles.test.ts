import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { DiscardPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Fragment } from '../../src/engines/clickhouse/index.ts'
import { livePartition } from '../../src/log/index.ts'
import { startTestCluster, type TestCluster } from '../support/cluster.ts'
import { areStored, expectExactlyOnce, storedMarkers } from '../support/exactly-once.ts'
import { Load } from '../support/load.ts'
import { startTestNats } from '../support/nats.ts'
import { processTree, sendSignal } from '../support/process-tree.ts'
import { COLLEAGUE, KEYS, OWNER, runCli, startTestService, type TestService, TOKENS } from '../support/service.ts'
import { drained } from '../support/status.ts'

const ONCE = `SELECT countIf(event = 'once'), countIf(event = 'last') FROM events WHERE event in ('once', 'last')
  GROUP BY distinct_id`

describe('roles in processes of their own', () => {
  let cluster: TestCluster
  let captures: TestService[]
  let pipelines: TestService[]
  let api: TestService
  beforeAll(async () => {
    cluster = await startTestCluster()
    // All at once: whoever comes first migrates, the others wait.
    const all = ['capture', 'capture', 'pipeline', 'pipeline', 'api,jobs'].map((roles) => cluster.start(roles))
    const services = await Promise.all(all)
    captures = services.slice(0, 2)
    pipelines = services.slice(2, 4)
    api = services[4] as TestService
  })
  afterAll(() => cluster?.stop())

  it('start no engine, and answer only for their roles', async () => {
    for (const service of [...captures, ...pipelines, api])
      expect(processTree(service.pid).map(({ pid }) => pid)).toEqual([service.pid])
    const [capture] = captures as [TestService]
    expect((await capture.api('/_ready', { key: null })).body).toMatchObject({ status: 'ready', roles: ['capture'] })
    expect((await capture.api('persons/')).status).toBe(404)
    const refused = await fetch(`${api.url}/batch/`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(404)
  })

  it('take an event all the way, whichever process it comes to', async () => {
    for (const [i, capture] of captures.entries())
      await capture.capture(
        Array.from({ length: 10 }, (_, n) => ({
          event: 'through',
          distinct_id: `${i}-${n}`,
          properties: { $set: { n } },
        })),
      )
    await api.waitFor(async () => {
      const { body } = await api.api('insights/trend/?refresh=true', { body: { events: [{ id: 'through' }] } })
      return body.result[0].count === 20
    }, 'the events to be counted')
    const { body } = await api.api('persons/?distinct_id=1-9')
    expect(body.results[0].properties).toMatchObject({ n: 9 })
  })

  it('share the partitions of the log among the pipelines', async () => {
    const owners = () =>
      cluster.postgres.sql<
        { owner: string }[]
      >`SELECT owner FROM partition_leases WHERE owner IS NOT NULL AND expires_at > now()`
    await api.waitFor(async () => {
      const found = await owners()
      return found.length === 4 && new Set(found.map(({ owner }) => owner)).size === 2
    }, 'both pipelines to have their share')
  })

  it('keep the order of a distinct id: an alias sent to one process after an event sent to the other', async () => {
    const [one, two] = captures as [TestService, TestService]
    for (let round = 0; round < 5; round++) {
      await one.capture({
        event: 'anonymous',
        distinct_id: `anon-${round}`,
        properties: { $set: { anonymous: round } },
      })
      await two.capture({
        event: '$identify',
        distinct_id: `user-${round}`,
        properties: { $anon_distinct_id: `anon-${round}`, $set: { seen: 2 } },
      })
      await one.capture({ event: 'known', distinct_id: `user-${round}`, properties: { $set: { seen: 3 } } })
    }
    for (let round = 0; round < 5; round++) {
      const person = await api.waitFor(async () => {
        const { body } = await api.api(`persons/?distinct_id=user-${round}`)
        const [found] = body.results
        return (
          found?.distinct_ids.length === 2 && found.properties.seen === 3 && 'anonymous' in found.properties && found
        )
      }, `person ${round} to be merged`)
      expect([...person.distinct_ids].sort()).toEqual([`anon-${round}`, `user-${round}`])
    }
  })

  it('store one event once, when it is sent to both processes and to different partitions at the same time', async () => {
    const [one, two] = captures as [TestService, TestService]
    const uuids = Array.from({ length: 40 }, () => crypto.randomUUID())
    const event = (uuid: string, who: string) => ({ event: 'twice', distinct_id: who, uuid })
    for (const uuid of uuids)
      await Promise.all([one.capture(event(uuid, `left ${uuid}`)), two.capture(event(uuid, `right ${uuid}`))])
    await api.waitFor(async () => {
      const { body } = await api.api('ingestion_warnings/')
      const row = body.results.find(({ type }: { type: string }) => type === 'duplicate_event')
      return row?.count >= uuids.length
    }, 'every second one to be recognised')
    // The second one may be recognised while the first is not committed yet, so the outbox alone does not say that all are there.
    const count = await api.waitFor(async () => {
      const [{ owed }] = await cluster.postgres.sql<[{ owed: number }]>`SELECT count(*) AS owed FROM clickhouse_outbox`
      const { body } = await api.api('insights/trend/?refresh=true', { body: { events: [{ id: 'twice' }] } })
      return owed === 0 && body.result[0].count >= uuids.length && body.result[0].count
    }, 'everything to be delivered')
    expect(count).toBe(uuids.length)
  })

  it('store a request without uuids once, when one partition took its share and the other refused, and it comes again', async () => {
    const [capture] = captures as [TestService]
    // Two distinct ids of different partitions; one of the streams is full.
    const [first, second] = [0, 1].map((wanted) => {
      const ids = Array.from({ length: 100 }, (_, n) => `whole-${n}`)
      return ids.find((id) => livePartition(2, 1, id) === `live-${wanted}`)
    })
    const connection = await connect({ servers: cluster.nats.url.split(',') })
    const manager = await jetstreamManager(connection)
    const { config } = await manager.streams.info('footfall-live-1')
    await manager.streams.update('footfall-live-1', { ...config, max_bytes: 1, discard: DiscardPolicy.New })
    const send = () => capture.capture([first, second].map((distinct_id) => ({ event: 'once', distinct_id })))
    await expect(send()).rejects.toThrow('503')
    await expect(send()).rejects.toThrow('503')
    await manager.streams.update('footfall-live-1', config)
    await connection.close()
    await api.waitFor(
      () =>
        send().then(
          () => true,
          () => false,
        ),
      'the log to take it',
    )
    // A request that was answered with 200 is over: the same again is another one.
    await send()
    await capture.capture([first, second].map((distinct_id) => ({ event: 'last', distinct_id })))
    // Partitions keep their order: what was sent before the last ones has been decided when these are there.
    const counts = async () => (await api.api('query/', { body: { query: { kind: 'HogQLQuery', query: ONCE } } })).body
    await api.waitFor(
      async () => (await counts()).results.filter(([, last]: number[]) => last === 1).length === 2,
      'the last ones',
    )
    expect((await counts()).results).toEqual([
      [2, 1],
      [2, 1],
    ])
  })

  it('store an event once that is twice in the log, because an answer of NATS was lost', async () => {
    const [capture] = captures as [TestService]
    const connection = await connect({ servers: cluster.nats.url.split(',') })
    onTestFinished(() => connection.close())
    const sent = connection.subscribe('footfall.log.*', { max: 1 })
    await connection.flush()
    const events = ['once', 'once', '$$heatmap'].map((event) => ({
      event: event === 'once' ? 'in the log twice' : event,
      distinct_id: 'repeated',
      properties: {
        $viewport_width: 1000,
        $viewport_height: 800,
        $heatmap_data: { 'https://repeated.example/': [{ x: 1, y: 2, target_fixed: false, type: 'click' }] },
      },
    }))
    await capture.capture(events)
    for await (const { subject, data } of sent)
      for (let again = 0; again < 2; again++) await jetstream(connection).publish(subject, data)
    await capture.capture([{ event: 'after the repeats', distinct_id: 'repeated' }])
    const counts = async () => {
      const query = `SELECT countIf(event = 'in the log twice'), countIf(event = 'after the repeats') FROM events WHERE distinct_id = 'repeated'`
      return (await api.api('query/', { body: { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' } }))
        .body.results[0]
    }
    await api.waitFor(async () => (await counts())[1] === 1, 'the event after them')
    expect(await counts()).toEqual([2, 1])
    // The points of a batch are inserted after its events.
    await api.waitFor(async () => {
      const [{ owed }] = await cluster.postgres.sql<[{ owed: number }]>`SELECT count(*) AS owed FROM clickhouse_outbox`
      return owed === 0
    }, 'the points')
    const heatmap = `SELECT count() AS n FROM cluster.heatmaps WHERE url = 'https://repeated.example/'`
    const { rows } = await cluster.engine.clickhouse.query<{ n: number }>(new Fragment([heatmap], []))
    expect(rows).toEqual([{ n: 3 }])
  })

  it('show live, in one process, what another has stored', async () => {
    const gone = new AbortController()
    const stream = await fetch(`${api.url}/api/environments/1/live/`, {
      headers: { authorization: `Bearer ${KEYS.all}` },
      signal: gone.signal,
    })
    let seen = ''
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) seen += Buffer.from(chunk).toString()
    })().catch(() => {})
    const [capture] = captures as [TestService]
    await api.waitFor(async () => {
      await capture.capture({ event: 'watched', distinct_id: 'somebody', properties: { nul: '\u0000' } })
      return seen.includes('"event":"watched"')
    }, 'the event to be seen live')
    gone.abort()
    await reading
    await api.waitFor(async () => {
      const rows = await cluster.postgres.sql`SELECT 1 FROM live_watchers`
      return rows.length === 0
    }, 'nobody to be watching any more')
  })

  describe('two that serve the API', () => {
    let apis: [TestService, TestService]
    beforeAll(async () => {
      const start = () => cluster.start('api', undefined, { FOOTFALL_RATE_LIMITS: 'on' })
      apis = await Promise.all([start(), start()])
    })

    it('share the limit of a key', async () => {
      const ask = async (service: TestService) => (await service.api('persons/?limit=1', { key: KEYS.persons })).status
      const [one, two] = apis
      const first = await Promise.all(Array.from({ length: 190 }, () => ask(one)))
      expect(first.filter((status) => status === 200).length).toBe(180)
      let passed = 0
      await two.waitFor(async () => {
        const status = await ask(two)
        if (status === 200) passed++
        return status === 429
      }, 'the other one to know of it')
      expect(passed).toBeLessThan(90)
      expect((await two.api('persons/?limit=1', { key: KEYS.personsRead })).status).toBe(200)
    })

    it('count wrong passwords together, also those that are tried at the same time', async () => {
      const tryAt = async (which: number, email: string, password: string) => {
        const answer = await (apis[which % 2] as TestService).api('/api/login/', {
          key: null,
          body: { email, password },
        })
        return answer.status
      }
      const tried = await Promise.all(Array.from({ length: 16 }, (_, n) => tryAt(n, OWNER.email, `wrong ${n}`)))
      expect(tried.filter((status) => status === 401).length).toBe(10)
      expect(tried.filter((status) => status === 429).length).toBe(6)
      expect(await tryAt(0, OWNER.email, OWNER.password)).toBe(429)
      expect(await tryAt(1, OWNER.email, OWNER.password)).toBe(429)
      // The right password takes back what was counted for this e-mail, in both.
      for (let n = 0; n < 9; n++) expect(await tryAt(n, COLLEAGUE.email, 'wrong')).toBe(401)
      expect(await tryAt(1, COLLEAGUE.email, COLLEAGUE.password)).toBe(200)
      for (let n = 0; n < 10; n++) expect(await tryAt(n, COLLEAGUE.email, 'wrong')).toBe(401)
      expect(await tryAt(0, COLLEAGUE.email, 'wrong')).toBe(429)
    })

    it('cancel what the other one runs', async () => {
      const [one, two] = apis
      const query = {
        kind: 'HogQLQuery',
        query:
          'select sum(cityHash64(x, y)) from (select arrayJoin(range(100000)) as x) as a cross join (select arrayJoin(range(1000000)) as y) as b',
      }
      let isOver = false
      const waiting = one.api('query/', { body: { query, client_query_id: 'waited-for' } }).finally(() => {
        isOver = true
      })
      await two.waitFor(async () => {
        const { body } = await two.api('insights/cancel/', { body: { client_query_id: 'waited-for' } })
        // The other process may say so too late to be heard.
        return body.cancelled || isOver
      }, 'the question to be cancelled')
      expect((await waiting).body).toMatchObject({ code: 'query_cancelled' })
      const later = await one.api('query/', { body: { query, client_query_id: 'for-later', refresh: 'force_async' } })
      expect(later.status).toBe(202)
      expect((await two.api('query/for-later/', { method: 'DELETE' })).status).toBe(200)
      expect((await one.api('query/for-later/')).body.query_status).toMatchObject({
        complete: true,
        error_message: 'Query was cancelled',
      })
      await one.waitFor(async () => {
        const { body } = await one.api('/api/instance_status/')
        return body.status.questions.running === 0 && body.status.questions.waiting === 0
      }, 'nothing to be running any more')
      expect((await two.api('query/never-asked/', { method: 'DELETE' })).status).toBe(404)
    })
  })

  it('are saved by one backup and restored into another NATS, with what still waits in the log', async () => {
    const work = await mkdtemp(path.join(os.tmpdir(), 'footfall-cluster-backup-'))
    const nats = await startTestNats()
    let restored: TestService | undefined
    try {
      const [capture] = captures as [TestService]
      const [pipeline] = pipelines as [TestService]
      const load = new Load('saved', { pauseMs: 100 })
      load.start(capture.url, 3)
      await api.waitFor(async () => load.acknowledged.size > 50, 'events to be taken')
      const before = new Set(load.acknowledged)
      const saved = await pipeline.cli('backup', path.join(work, 'saved'))
      expect(saved).toMatchObject({ code: 0 })
      await load.stop()
      const env = { FOOTFALL_NATS_URL: nats.url }
      const data = path.join(work, 'new', 'data')
      await mkdir(path.dirname(data))
      expect(await runCli(['restore', path.join(work, 'saved'), '--data', data], env)).toMatchObject({ code: 0 })
      const there = await startTestService({ data, env, provision: null })
      restored = there
      await there.waitFor(
        async () => (await areStored(there, 'saved', before)) && drained(there),
        'everything that was acknowledged before the backup',
      )
      expectExactlyOnce({ sent: load.sent, acknowledged: before }, await storedMarkers(there, 'saved'))
      // The pipelines go on where they were.
      await api.waitFor(() => areStored(api, 'saved', load.acknowledged), 'everything to be stored where it was sent')
      expectExactlyOnce(load, await storedMarkers(api, 'saved'))
    } finally {
      await restored?.stop()
      await nats.stop()
      await rm(work, { recursive: true, force: true })
    }
  })

  it('refuse events when so much waits as the log may hold, say so, and take them again afterwards', async () => {
    const limited = await cluster.start('capture', undefined, { FOOTFALL_LOG_LIMIT_MB: '1' })
    const send = (n: number) =>
      fetch(`${limited.url}/batch/`, {
        method: 'POST',
        body: JSON.stringify({
          api_key: TOKENS.one,
          batch: [{ event: 'waiting', distinct_id: `w${n}`, properties: { text: 'x'.repeat(200_000) } }],
        }),
      })
    const resume = () => cluster.postgres.sql`DELETE FROM pipeline_pauses`
    onTestFinished(async () => {
      await resume()
      await limited.terminate()
    })
    await cluster.postgres
      .sql`INSERT INTO pipeline_pauses (holder, expires_at) VALUES ('test', now() + interval '1 hour')`
    await api.waitFor(async () => {
      const owners = await cluster.postgres.sql`
        SELECT 1 FROM partition_leases WHERE owner IS NOT NULL AND expires_at > now()`
      return owners.length === 0
    }, 'the pipelines to pause')
    let taken = 0
    const refused = await api.waitFor(async () => {
      const answer = await send(taken)
      if (answer.status === 200) taken++
      return answer.status !== 200 && answer
    }, 'the log to be full')
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([503, true])
    // There may be room left for an event that is smaller than these.
    expect(await limited.cli('doctor')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/backlog of the log has reached its limit|backlog used: events will be refused/),
    })
    await resume()
    await api.waitFor(async () => (await send(taken)).status === 200, 'events to be taken again')
    await api.waitFor(
      async () => (await api.api('events/?event=waiting&limit=100')).body.results.length === taken + 1,
      'everything that was taken to be stored',
    )
  })

  it('get more partitions when every capture is started with a larger number, and keep the order of each distinct id', async () => {
    const people = Array.from({ length: 40 }, (_, n) => `grown-${n}`)
    const send = (capture: TestService, last: string) =>
      capture.capture(people.map((distinct_id) => ({ event: 'grown', distinct_id, properties: { $set: { last } } })))
    const more = { FOOTFALL_PARTITIONS: '6' }
    const restart = async (services: TestService[], roles: string) => {
      await Promise.all(services.map((service) => service.terminate()))
      return await Promise.all(services.map((service) => cluster.start(roles, service, more)))
    }
    await send(captures[0] as TestService, 'before')
    pipelines = await restart(pipelines, 'pipeline')
    await send(captures[1] as TestService, 'while the pipelines know of more')
    captures = await restart(captures, 'capture')
    for (const [n, capture] of captures.entries()) await send(capture, n === 0 ? 'after' : 'at last')
    const [growth] = await cluster.postgres.sql`
      SELECT live_partitions FROM log_growths ORDER BY generation DESC LIMIT 1`
    expect(growth).toEqual({ live_partitions: 6 })
    const counted = async () =>
      (await api.api('insights/trend/?refresh=true', { body: { events: [{ id: 'grown' }] } })).body.result[0].count
    await api.waitFor(async () => (await counted()) === 4 * people.length, 'everything to be stored')
    const persons = await cluster.postgres.sql<{ last: string }[]>`
      SELECT p.properties ->> 'last' AS last FROM persons p JOIN person_distinct_ids d ON d.person_id = p.id
      WHERE d.distinct_id LIKE 'grown-%'`
    expect(persons.map(({ last }) => last)).toEqual(people.map(() => 'at last'))
  })

  describe('feature flags', () => {
    interface Flag {
      readonly enabled: boolean
      readonly failed?: boolean
    }
    interface Flags {
      readonly flags: Record<string, Flag>
      readonly errorsWhileComputingFlags: boolean
    }
    const ask = async (capture: TestService, distinct_id = 'somebody') => {
      const body = JSON.stringify({ token: TOKENS.one, distinct_id })
      const answer = await fetch(`${capture.url}/flags/?v=2`, { method: 'POST', body })
      return { status: answer.status, ...((await answer.json()) as Flags) }
    }
    const inBoth = (look: (flags: Record<string, Flag>) => boolean, what: string) =>
      api.waitFor(async () => {
        const answers = await Promise.all(captures.map((capture) => ask(capture)))
        return answers.every(({ flags }) => look(flags))
      }, what)

    it('change in every process that answers for them', async () => {
      const filters = { groups: [{ properties: [], rollout_percentage: 100 }] }
      const { body, status } = await api.api('feature_flags/', { body: { key: 'shared', filters } })
      expect(status).toBe(201)
      await inBoth(({ shared }) => shared?.enabled === true, 'both to have the flag')
      for (const active of [false, true, false]) {
        await api.api(`feature_flags/${body.id}/`, { method: 'PATCH', body: { active } })
        await inBoth(({ shared }) => shared?.enabled === active, `both to see it turned ${active ? 'on' : 'off'}`)
      }
    })

    it('that need no stored person are answered while PostgreSQL stands still', async () => {
      const plan = [{ key: 'plan', type: 'person', operator: 'exact', value: 'pro' }]
      await api.api('feature_flags/', { body: { key: 'by-id', filters: { groups: [{ properties: [] }] } } })
      await api.api('feature_flags/', { body: { key: 'by-plan', filters: { groups: [{ properties: plan }] } } })
      await inBoth((flags) => 'by-id' in flags && 'by-plan' in flags, 'both to have the flags')
      const engine = processTree(cluster.postgres.embedded.pid ?? 0)
      expect(engine.length).toBeGreaterThan(1)
      sendSignal('SIGSTOP', engine)
      try {
        for (const [n, capture] of captures.entries()) {
          const answer = await ask(capture, `new-${n}`)
          expect(answer).toMatchObject({ status: 200, errorsWhileComputingFlags: true })
          expect(answer.flags['by-id']).toMatchObject({ enabled: true })
          expect(answer.flags['by-plan']).toMatchObject({ enabled: false, failed: true })
        }
      } finally {
        sendSignal('SIGCONT', engine.toReversed())
      }
      await api.waitFor(async () => {
        const answers = await Promise.all(captures.map((capture) => ask(capture, 'new-again')))
        return answers.every(({ errorsWhileComputingFlags }) => errorsWhileComputingFlags === false)
      }, 'everything to be decided again')
    })
  })
})
