import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MixedLoad } from '../support/mixed-load.ts'
import { kill9, processTree } from '../support/process-tree.ts'
import { drawn } from '../support/random.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { drained, statusOf } from '../support/status.ts'

const env = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('../support/end-threads.mjs', import.meta.url))}` }

/** Who is ended, at a moment nobody chose. */
const VICTIMS = {
  'the server of Postgres': (service) => kill9(postgresOf(service).slice(0, 1)),
  'a connection of Postgres': (service) =>
    kill9(
      postgresOf(service)
        .filter(({ command }) => command.includes('[local]'))
        .slice(-1),
    ),
  'the engine of ClickHouse': (service) =>
    kill9(processTree(service.pid).filter(({ command }) => command.includes('clickhouse/embedded/child'))),
  'all threads': (service) => void process.kill(service.pid, 'SIGUSR2'),
  'our own process': (service) => kill9(processTree(service.pid).slice(0, 1)),
  everything: (service) => kill9(processTree(service.pid)),
} satisfies Record<string, (service: TestService) => void>

const postgresOf = (service: TestService) =>
  processTree(service.pid).filter(({ command }) => command.includes('postgres'))

describe('a mixed load while one after the other dies', () => {
  let service: TestService
  const load = new MixedLoad()
  afterAll(() => service?.stop())

  // What the tests below look at, each by itself.
  beforeAll(async () => {
    service = await startTestService({ env })
    const random = drawn('moments of death')
    load.start(service.url)
    for (const [who, end] of Object.entries(VICTIMS)) {
      const before = load.events.size
      await service.waitFor(async () => load.events.size > before + 50, `events before the end of ${who}`)
      await delay(random() * 400)
      end(service)
      if (who !== 'our own process' && who !== 'everything') continue
      await delay(100)
      service = await startTestService({ data: service.data, env })
      load.moveTo(service.url)
    }
    // A busy machine may have come to little besides dying: there must be something to look at.
    await service.waitFor(
      async () => load.users.size === 9 && load.recordings.size > 10 && load.deleted.size > 0,
      'some of everything to have happened',
    )
    await load.stop()
    await service.waitFor(
      async () => (await service.api('/_ready', { key: null })).status === 200 && (await drained(service)),
      'everything to be applied',
    )
    expect((await service.cli('deletions', 'run')).code).toBe(0)
  })

  it('goes on, and says everything in the end', async () => {
    expect(load.failures).toBeGreaterThan(0)
    expect(await statusOf(service)).toMatchObject({ dead_letters: 0 })
  })

  const rows = async (query: string): Promise<unknown[][]> =>
    (
      await service.api('query/', {
        body: { query: { kind: 'HogQLQuery', query: `${query} limit 50000` }, refresh: 'force_blocking' },
      })
    ).body.results

  it('stored every event once', async () => {
    const stored = (await rows('select toString(uuid) from events')).map(([uuid]) => uuid as string)
    const times = new Map<string, number>()
    for (const uuid of stored) times.set(uuid, (times.get(uuid) ?? 0) + 1)
    expect(
      [...load.events].filter((uuid) => !times.has(uuid)),
      'lost',
    ).toEqual([])
    expect(
      [...times].filter(([, count]) => count > 1),
      'stored twice',
    ).toEqual([])
    expect(load.events.size).toBeGreaterThan(6 * 50)
  })

  it('knows who is who, and what was set last', async () => {
    for (const [user, { ids, turn }] of load.users) {
      const [person] = (await service.api(`persons/?distinct_id=${user}`)).body.results
      expect([...person.distinct_ids].sort(), user).toEqual([...ids].sort())
      expect(person.properties, user).toMatchObject({ turn, first: Number(/\d$/.exec(user)?.[0]) })
    }
    const { results } = (await service.api('groups/?group_type_index=0')).body as {
      results: { group_key: string; group_properties: { turn: number } }[]
    }
    expect(new Map(results.map(({ group_key, group_properties }) => [group_key, group_properties.turn]))).toEqual(
      load.companies,
    )
    const attributed = await rows(
      `select count(), uniq(person_id) from events where event = 'bought' group by splitByString('-', distinct_id)[1]`,
    )
    expect(attributed.map(([, persons]) => persons)).toEqual(attributed.map(() => 3))
  })

  it('plays every recording', async () => {
    for (const [session, events] of load.recordings) {
      const { text, status } = await service.api(`session_recordings/${session}/snapshots/`)
      expect([session, status, text.split('\n').filter(Boolean).length]).toEqual([session, 200, events])
    }
  })

  it('deleted whom it said it had deleted', async () => {
    for (const id of load.deleted) expect((await service.api(`persons/?distinct_id=${id}`)).body.results).toEqual([])
    const left = (await rows(`select distinct_id from events where event = 'passing by'`)).map(([id]) => id as string)
    expect(left.filter((id) => load.deleted.has(id))).toEqual([])
  })
})
