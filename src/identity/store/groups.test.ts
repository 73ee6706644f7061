import { afterAll, beforeAll, expect, it } from 'vitest'
import { anEvent, at, batch, newProject, one, personsOf } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import type { Sql } from '../../engines/postgres/index.ts'

let postgres: TestPostgres
let sql: Sql
let project: number

beforeAll(async () => {
  postgres = await startTestPostgres()
  sql = postgres.sql
})
afterAll(() => postgres?.stop())

const fresh = async () => {
  project = await newProject(sql)
}
const groupIdentify = (type: string, key: string, properties = {}, timestamp = at('2020-01-01T12:00:00Z')) =>
  anEvent(project, '$groupidentify', 'u', { $group_type: type, $group_key: key, ...properties }, { timestamp })
const stored = () =>
  sql`SELECT group_type_index, group_key, properties, created_at, version FROM groups WHERE project_id = ${project} ORDER BY group_key`

it('$groups adds keys by type index and makes no group', async () => {
  await fresh()
  const event = await one(sql, anEvent(project, 'a', 'u', { $groups: { company: 'acme', team: 7 } }))
  expect(event.properties).toMatchObject({ $group_0: 'acme', $group_1: 7, $groups: { company: 'acme', team: 7 } })
  expect(event.groups).toEqual(['acme', '7', '', '', ''])
  const again = await one(sql, anEvent(project, 'a', 'u', { $groups: { team: 'x' } }))
  expect(again.groups).toEqual(['', 'x', '', '', ''])
  expect(await stored()).toEqual([])
})

it('a sixth group type is ignored with a warning and the event is stored', async () => {
  await fresh()
  const $groups = { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' }
  const event = await one(sql, anEvent(project, 'a', 'u', { $groups }))
  expect(event.groups).toEqual(['1', '2', '3', '4', '5'])
  expect(event.properties.$groups).toEqual($groups)
  expect(event.warnings).toMatchObject([{ type: 'group_type_limit', details: { groupType: 'f' } }])
})

it('$groupidentify makes a group, later ones lay their properties over it', async () => {
  await fresh()
  await one(sql, groupIdentify('company', 'acme', { $group_set: { a: 1, b: { x: 1 } } }))
  const later = await one(sql, groupIdentify('company', 'acme', { $group_set: { b: 2 } }, at('2019-01-01T00:00:00Z')))
  expect(await stored()).toEqual([
    {
      group_type_index: 0,
      group_key: 'acme',
      properties: { a: 1, b: 2 },
      created_at: new Date('2020-01-01T12:00:00Z'),
      version: 1,
    },
  ])
  expect(later.rows.groups).toMatchObject([{ group_key: 'acme', version: 1, created_at: '2020-01-01 12:00:00.000' }])
  const same = await one(sql, groupIdentify('company', 'acme', { $group_set: { b: 2 } }))
  expect(same.rows.groups).toEqual([])
})

it('$groupidentify changes no person but makes one, and without a key makes no group', async () => {
  await fresh()
  const event = groupIdentify('company', '', { $set: { a: 1 } })
  const outcome = await one(sql, event)
  expect(await stored()).toEqual([])
  expect(outcome.properties).not.toHaveProperty('$set')
  expect(await personsOf(sql, project)).toMatchObject([{ properties: { $creator_event_uuid: event.uuid } }])
})

it('bad group input is answered with warnings', async () => {
  await fresh()
  const { events } = await batch(sql, [
    anEvent(project, 'a', 'u', { $groups: 'acme' }),
    groupIdentify('company', 'x'.repeat(401)),
    groupIdentify('company', 'acme', { $group_set: [1] }),
  ])
  expect(events.map((event) => [event.kind, event.warnings.map(({ type }) => type)])).toEqual([
    ['keep', ['groups_not_object']],
    ['drop', ['group_key_too_long']],
    ['keep', ['groups_not_object']],
  ])
})

it('personless events carry no groups', async () => {
  await fresh()
  const event = await one(
    sql,
    anEvent(project, 'a', 'u', { $process_person_profile: false, $group_0: 'sent', $groups: { company: 'acme' } }),
  )
  expect(event.properties).toEqual({ $process_person_profile: false, $groups: { company: 'acme' } })
  expect(event.groups).toEqual(['', '', '', '', ''])
})

it('two partitions that name new types at once agree on their indexes', async () => {
  await fresh()
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((type) => one(sql, anEvent(project, 'x', `u-${type}`, { $groups: { [type]: '1' } }))),
  )
  const types = await sql`SELECT group_type, group_type_index FROM group_types WHERE project_id = ${project}`
  expect(types.map((type) => type.group_type_index).sort()).toEqual([0, 1, 2, 3])
})
