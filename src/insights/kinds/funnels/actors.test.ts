import { afterAll, beforeAll, expect, test } from 'vitest'
import { personUuid, type SeedEvent, seedMerges } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../../test/support/insights/test-engine.ts'
import type { ActorsSource } from '../../../contract/queries/index.ts'
import { actorsNodeOfLegacyFilter } from '../../parse/legacy-actors.ts'
import { readQuery } from '../../parse/read-query.ts'
import { runActors } from '../../run/actors.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2020-02-01T00:00:00Z'
const FUNNEL = {
  insight: 'FUNNELS',
  events: ['a', 'b', 'c'].map((id, order) => ({ id, order })),
  date_from: '2020-01-01',
  date_to: '2020-01-10',
}
const did = (person: string, event: string, day: number, more: Partial<SeedEvent> = {}): SeedEvent => ({
  event,
  distinctId: person,
  at: `2020-01-0${day}T12:00:00Z`,
  ...more,
})
const EVENTS = [
  did('u', 'a', 1, { properties: { hue: 'red' }, sessionId: 'su' }),
  did('u', 'b', 2),
  did('u', 'c', 3),
  did('v', 'a', 1, { properties: { hue: 'blue' }, groups: { 0: 'acme' } }),
  did('v', 'b', 2, { groups: { 0: 'acme' } }),
  did('w', 'a', 2),
  did('anon', 'a', 1),
]

async function actors(project: TestProject, more: object, page = { limit: 10, offset: 0 }) {
  const source = readQuery(actorsNodeOfLegacyFilter({ ...FUNNEL, ...more })) as ActorsSource
  return runActors(project.context(NOW, { hasOverrides: true }), source, page)
}
const who = async (project: TestProject, more: object) =>
  (await actors(project, more)).actors.map(({ id }) => id).toSorted()
const ids = (...names: string[]) => names.map(personUuid).toSorted()

async function seeded(): Promise<TestProject> {
  const project = engine.project()
  await project.seed(EVENTS)
  await seedMerges(project.clickhouse, project.id, [{ old: 'anon', survivor: 'w' }])
  return project
}

test('who reached a step, and who dropped before it', async () => {
  const project = await seeded()
  expect(await who(project, { funnel_step: 1 })).toEqual(ids('u', 'v', 'w'))
  expect(await who(project, { funnel_step: '2' })).toEqual(ids('u', 'v'))
  expect(await who(project, { funnel_step: 3 })).toEqual(ids('u'))
  expect(await who(project, { funnel_step: -2 })).toEqual(ids('w'))
  expect(await who(project, { funnel_step: -3 })).toEqual(ids('v'))
  expect(await who(project, { funnel_custom_steps: '[1, 3]' })).toEqual(ids('u', 'w'))
  for (const funnel_step of [0, -1, 4, -4])
    await expect(who(project, { funnel_step })).rejects.toMatchObject({ name: 'InvalidQuery' })
})

test('who stands behind a value of a breakdown', async () => {
  const project = await seeded()
  const broken = { breakdown: 'hue', funnel_step: 1 }
  expect(await who(project, { ...broken, funnel_step_breakdown: 'red' })).toEqual(ids('u'))
  expect(await who(project, { ...broken, funnel_step_breakdown: '["blue"]' })).toEqual(ids('v'))
  expect(await who(project, { ...broken, funnel_step_breakdown: [''] })).toEqual(ids('w'))
})

test('who began in an interval and got through, or did not', async () => {
  const project = await seeded()
  const trend = { funnel_viz_type: 'trends', entrance_period_start: '2020-01-01 00:00:00' }
  expect(await who(project, { ...trend, drop_off: 'false' })).toEqual(ids('u'))
  expect(await who(project, { ...trend, drop_off: true })).toEqual(ids('v', 'w'))
  // A day that the chart no longer shows is asked about by itself.
  expect(await who(project, { ...trend, entrance_period_start: '2021-01-01 00:00:00' })).toEqual([])
  await expect(who(project, { ...trend, entrance_period_start: 'someday' })).rejects.toMatchObject({
    name: 'InvalidQuery',
  })
})

test('groups are actors, sessions lead to their persons, and recordings to what was done', async () => {
  const project = await seeded()
  const groups = await actors(project, { aggregation_group_type_index: 0, funnel_step: 2 })
  expect(groups).toMatchObject({ groupIndex: 0, actors: [{ id: 'acme', eventCount: 2 }] })
  const sessions = await actors(project, { funnel_aggregate_by_hogql: 'properties.$session_id', funnel_step: 1 })
  expect(sessions.actors).toMatchObject([{ id: personUuid('u'), recordings: [{ session_id: 'su', events: [{}] }] }])
})

test('pages end where there is nobody left', async () => {
  const project = await seeded()
  const first = await actors(project, { funnel_step: 1 }, { limit: 2, offset: 0 })
  const second = await actors(project, { funnel_step: 1 }, { limit: 2, offset: 2 })
  expect([first.hasMore, second.hasMore]).toEqual([true, false])
  expect([...first.actors, ...second.actors].map(({ id }) => id).toSorted()).toEqual(ids('u', 'v', 'w'))
})
