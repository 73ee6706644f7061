import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newProject, personsOf } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { inTransaction, type Sql } from '../../engines/postgres/index.ts'
import { deletePersons } from '../../identity/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { pipelineEvent } from '../steps/testing/events.ts'
import { applyBatch } from './apply.ts'
import type { BatchEvent } from './batch.ts'

/** Changes that a spike put off in one partition, and what other partitions and people do meanwhile. */
let postgres: TestPostgres
let sql: Sql
let project: number
const positions = new Map<string, number>()

beforeAll(async () => {
  postgres = await startTestPostgres()
  sql = postgres.sql
})
afterAll(() => postgres?.stop())
beforeEach(async () => {
  project = await newProject(sql)
})

function event(distinctId: string, name: string, properties: JsonObject, deferred = false): BatchEvent {
  const event = pipelineEvent({ distinctId, event: name, properties, project: { id: project } })
  event.personProcessing = deferred ? 'deferred' : 'full'
  return { event, position: 0, payload: () => '' }
}
const set = (id: string, properties: JsonObject) => event(id, 'seen', { $set: properties })
const putOff = (id: string, changes: JsonObject) => event(id, 'seen', changes, true)
const identify = (id: string, other: string, more: JsonObject = {}) =>
  event(id, '$identify', { $anon_distinct_id: other, ...more })

async function apply(partition: string, ...events: BatchEvent[]): Promise<void> {
  const from = positions.get(partition) ?? 0
  positions.set(partition, from + 1)
  const range = { partition, from, next: from + 1, records: [] }
  await applyBatch(sql, { range, events, warnings: [], deadLetters: [] })
}

const properties = async () =>
  (await personsOf(sql, project)).map(({ properties: { $creator_event_uuid, ...rest } }) => rest)
const stillPutOff = () => sql`SELECT distinct_id FROM deferred_person_updates WHERE project_id = ${project}`

it('a merge in another partition finds the person as its own events left it: what the survivor has, wins', async () => {
  await apply('live-0', set('anon', { plan: 'free', seen: 1 }))
  await apply('live-1', set('user', { plan: 'pro' }))
  await apply('live-0', putOff('anon', { $set: { plan: 'trial', seen: 2 } }))
  await apply('live-1', identify('user', 'anon', { $set: { last: 'merged' } }))
  expect(await properties()).toEqual([{ plan: 'pro', seen: 2, last: 'merged' }])
  expect(await stillPutOff()).toEqual([])
})

it('a merge by a number finds what was put off for it', async () => {
  await apply('live-1', set('user', { n: 'user' }))
  await apply('live-0', set('23', { n: 1 }), putOff('23', { $set: { n: 2, m: 2 } }))
  await apply('live-1', event('user', '$merge_dangerously', { alias: 23 }))
  expect(await properties()).toEqual([{ n: 'user', m: 2 }])
})

it('a later event under another distinct id of the person comes later, in another partition or in the same batch', async () => {
  await apply('live-0', identify('user', 'anon', { $set: { x: 0, y: 0 } }))
  await apply('live-0', putOff('anon', { $set: { x: 'put off', y: 'put off' } }))
  await apply('live-1', set('user', { x: 'later' }))
  expect(await properties()).toEqual([{ x: 'later', y: 'put off' }])
  await apply('live-0', putOff('anon', { $set: { x: 'again', z: 'again' } }), set('user', { x: 'last' }))
  expect(await properties()).toEqual([{ x: 'last', y: 'put off', z: 'again' }])
  expect(await stillPutOff()).toEqual([])
})

it('the distinct ids of a merge are of one person from then on, also for what is put off behind it', async () => {
  await apply(
    'live-0',
    set('anon', { x: 0 }),
    identify('user', 'anon'),
    putOff('anon', { $set: { x: 'put off', y: 'put off' } }),
    set('user', { x: 'later' }),
  )
  expect(await properties()).toEqual([{ x: 'later', y: 'put off' }])
})

it('what is put off for others stays put off', async () => {
  await apply('live-0', set('a', { x: 1 }), set('b', { x: 1 }), putOff('a', { $set: { x: 2 } }))
  await apply('live-1', set('b', { x: 3 }), identify('b', 'c'))
  expect(await stillPutOff()).toMatchObject([{ distinct_id: 'a' }])
})

it('what is put off in several batches keeps the order in which it came', async () => {
  await apply('live-0', set('a', { x: 'old', y: 'old' }))
  await apply('live-0', putOff('a', { $set: { x: 1 }, $unset: ['y'] }))
  await apply('live-0', putOff('a', { $unset: ['x'] }), putOff('a', { $set_once: { y: 'new', z: 1 } }))
  await apply('live-0', identify('a', 'b'))
  expect(await properties()).toEqual([{ y: 'new', z: 1 }])
})

it('events that never change a person change none when they are put off', async () => {
  await apply('live-0', set('a', { x: 1 }))
  await apply('live-0', event('a', '$exception', { $set: { x: 2 } }, true))
  expect(await stillPutOff()).toEqual([])
})

it('does not deliver a deleted person back', async () => {
  await apply('live-0', set('a', { x: 1 }), putOff('a', { $set: { x: 2 } }))
  await inTransaction(sql, (tx) => deletePersons(tx, project, { distinctIds: ['a'] }))
  expect(await stillPutOff()).toEqual([])
  await apply('live-0', set('a', { y: 1 }))
  expect(await properties()).toEqual([{ y: 1 }])
})

it('partitions that put off and merge across each other neither lose a change nor lock each other out', async () => {
  const deadlocks = async () => {
    const [row] = await sql<[{ deadlocks: number }]>`
      SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`
    return row.deadlocks
  }
  const before = await deadlocks()
  const partition = async (own: string, others: string) => {
    for (let n = 0; n < 25; n++)
      await apply(
        `live-${own}`,
        putOff(`${own}-${n}`, { $set: { [`${own}-${n}`]: 1 } }),
        identify(`${own}-${(n * 7) % 25}`, `${others}-${n}`),
        putOff(`${own}-${24 - n}`, { $set: { [`again ${own}-${24 - n}`]: 1 } }),
      )
  }
  await Promise.all([partition('p', 'q'), partition('q', 'p'), partition('r', 'p')])
  for (const own of 'pqr') {
    const events = Array.from({ length: 25 }, (_, n) => event(`${own}-${n}`, 'seen', {}))
    await apply(`live-${own}`, ...events)
  }
  expect(await stillPutOff()).toEqual([])
  const all = Object.assign({}, ...(await properties()))
  for (const own of 'pqr')
    for (let n = 0; n < 25; n++) expect(all).toMatchObject({ [`${own}-${n}`]: 1, [`again ${own}-${n}`]: 1 })
  expect(await deadlocks()).toBe(before)
})
