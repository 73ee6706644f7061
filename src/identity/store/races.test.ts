import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anEvent, batch, newProject, one, overridesOf, personsOf } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { inTransaction, type Sql } from '../../engines/postgres/index.ts'
import { patchPersonProperties } from '../admin/change-persons.ts'
import { deletePersons } from '../admin/delete-persons.ts'
import { splitPerson } from '../admin/split-person.ts'
import { personUuid } from '../rules/person-uuid.ts'
import type { IdentityEvent } from '../rules/types.ts'
import { findPerson, findPersonByDistinctId, mergeHistory, personsByUuid } from './persons.ts'
import { resolveIdentities } from './resolve.ts'

let postgres: TestPostgres
let sql: Sql
let project: number

beforeAll(async () => {
  postgres = await startTestPostgres()
  sql = postgres.sql
})
afterAll(() => postgres?.stop())
beforeEach(async () => {
  project = await newProject(sql)
})

const identify = (user: string, anonymous: string) =>
  anEvent(project, '$identify', user, { $anon_distinct_id: anonymous })
const dangerously = (into: string, other: string) => anEvent(project, '$merge_dangerously', into, { alias: other })
const set = (id: string, properties: Record<string, number>) => anEvent(project, 'x', id, { $set: properties })
const remove = (...distinctIds: string[]) => inTransaction(sql, (tx) => deletePersons(tx, project, { distinctIds }))

const READS_PERSONS = 'SELECT k.n::int AS n, d.person_id'
const READS_THE_PAST_OF_UUIDS = 'SELECT k.n::int AS n, d.distinct_id'

/**
 * Runs a batch that has read (all but the last of it) but not committed when `meanwhile` happens; says how often it had
 * to run again.
 */
async function overtaken(
  events: IdentityEvent[],
  meanwhile: () => Promise<unknown>,
  reading = READS_PERSONS,
): Promise<number> {
  let conflicts = 0
  let first = true
  for (;;) {
    try {
      await sql.begin(async (tx) => {
        const paused = new Proxy(tx, {
          apply: (target, self, args) => {
            const query = Reflect.apply(target, self, args)
            if (!first || !String(args[0]?.[0]).includes(reading)) return query
            return query.then(async (rows: unknown) => {
              if (first) {
                first = false
                await meanwhile()
              }
              return rows
            })
          },
        })
        await resolveIdentities(paused, events, new Date())
      })
      return conflicts
    } catch (error) {
      if ((error as { code?: string }).code !== '40001') throw error
      conflicts += 1
      expect(conflicts).toBeLessThan(10)
    }
  }
}

describe('a batch that is overtaken between reading and writing runs again', () => {
  it('creation of an id by creation of the same id in a merge', async () => {
    expect(await overtaken([set('anon', { a: 1 })], () => batch(sql, [identify('user', 'anon')]))).toBe(1)
    expect(await personsOf(sql, project)).toMatchObject([{ distinct_ids: ['user', 'anon'], properties: { a: 1 } }])
  })

  it('a personless event by a merge that takes its id', async () => {
    const personless = anEvent(project, 'x', 'anon', { $process_person_profile: false })
    expect(await overtaken([personless], () => batch(sql, [identify('user', 'anon')]))).toBe(1)
    expect(await personsOf(sql, project)).toMatchObject([{ distinct_ids: ['user', 'anon'] }])
  })

  it('a change by a merge of the person', async () => {
    await batch(sql, [set('a', {}), set('b', {})])
    expect(await overtaken([set('a', { n: 1 })], () => batch(sql, [dangerously('b', 'a')]))).toBe(1)
    expect(await personsOf(sql, project)).toMatchObject([{ uuid: personUuid(project, 'b'), properties: { n: 1 } }])
  })

  it('a merge by the crossing merge', async () => {
    await batch(sql, [set('a', {}), set('b', {})])
    expect(await overtaken([dangerously('a', 'b')], () => batch(sql, [dangerously('b', 'a')]))).toBe(1)
    expect(await personsOf(sql, project)).toMatchObject([{ uuid: personUuid(project, 'b') }])
  })

  it('a merge by an id that joins the person that goes', async () => {
    await batch(sql, [set('a', {}), set('b', {}), identify('a', 'a2')])
    await overtaken([dangerously('b', 'a')], () => batch(sql, [identify('a', 'late')]))
    const [person, ...others] = await personsOf(sql, project)
    expect(others).toEqual([])
    expect(person?.distinct_ids.toSorted()).toEqual(['a', 'a2', 'b', 'late'])
  })

  it('a change by a deletion: the person comes back new, visible and without the old properties', async () => {
    await one(sql, set('a', { old: 1 }))
    let tombstone = 0
    const conflicts = await overtaken([set('a', { n: 1 })], async () => {
      tombstone = (await remove('a')).rows.persons[0]?.version ?? 0
    })
    expect(conflicts).toBe(1)
    const [person] = await personsOf(sql, project)
    expect(person).toMatchObject({ uuid: personUuid(project, 'a'), properties: { n: 1 } })
    expect(person?.properties).not.toHaveProperty('old')
    expect(person?.version).toBeGreaterThan(tombstone)
  })

  it('a change by a patch: both are there', async () => {
    await one(sql, set('a', {}))
    const patch = () =>
      inTransaction(sql, (tx) => patchPersonProperties(tx, project, personUuid(project, 'a'), { set: { p: null } }))
    expect(await overtaken([set('a', { n: 1 })], patch)).toBe(1)
    expect(await personsOf(sql, project)).toMatchObject([{ properties: { n: 1, p: null }, version: 2 }])
  })
})

it.each([READS_PERSONS, READS_THE_PAST_OF_UUIDS])(
  'a person that came and went while a batch was deciding leaves no trace that hides the next one (%s)',
  async (reading) => {
    let tombstone = 0
    const cameAndWent = async () => {
      await one(sql, set('a', { old: 1 }))
      tombstone = (await remove('a')).rows.persons[0]?.version ?? 0
    }
    const conflicts = await overtaken([set('a', { n: 1 })], cameAndWent, reading)
    expect(conflicts).toBe(reading === READS_PERSONS ? 0 : 1)
    const [person] = await personsOf(sql, project)
    expect(person).toMatchObject({ uuid: personUuid(project, 'a'), properties: { n: 1 } })
    expect(person?.version).toBeGreaterThan(tombstone)
  },
)

it('a deletion that had to wait for a merge deletes whoever has the distinct id now', async () => {
  await batch(sql, [set('a', {}), set('b', {})])
  let deletion: ReturnType<typeof remove> | undefined
  await batch(sql, [dangerously('b', 'a')], {
    beforeCommit: async () => {
      deletion ??= remove('a')
      const waiting = () => sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting()).length).toBeGreaterThan(0)
    },
  })
  expect((await deletion)?.deleted).toMatchObject([{ uuid: personUuid(project, 'b') }])
  expect(await personsOf(sql, project)).toEqual([])
})

it('a refused merge is refused for what holds at its commit', async () => {
  await batch(sql, [identify('user', 'x'), identify('other', 'y')])
  // Without the lock the event would say that it was refused for somebody who is no more.
  expect(await overtaken([identify('user', 'other')], () => remove('other'))).toBe(1)
  const [person] = await personsOf(sql, project)
  expect(person?.distinct_ids.toSorted()).toEqual(['other', 'user', 'x'])
})

it('many crossing merges at once end with one person that has every id, and every event leads to it', async () => {
  const ids = Array.from({ length: 8 }, (_, i) => `id-${i}`)
  const born = await Promise.all(ids.map((id) => one(sql, set(id, { [id]: 1 }))))
  await Promise.all(ids.map((id, i) => batch(sql, [dangerously(id, ids[(i + 1) % ids.length] as string)])))
  const [person, ...others] = await personsOf(sql, project)
  expect(others).toEqual([])
  expect(person?.distinct_ids.toSorted()).toEqual(ids)
  expect(person?.properties).toMatchObject(Object.fromEntries(ids.map((id) => [id, 1])))
  const overrides = await overridesOf(sql, project)
  for (const { personId } of born) expect(overrides[personId] ?? personId).toBe(person?.uuid)
})

describe('persons for people', () => {
  it('are found by id, uuid, distinct id, and by uuids that were merged away', async () => {
    await batch(sql, [set('a', {}), set('b', { n: 1 })])
    await one(sql, dangerously('b', 'a'))
    const uuid = personUuid(project, 'b')
    const person = await findPerson(sql, project, uuid)
    expect(person).toMatchObject({ uuid, properties: { n: 1 }, isIdentified: true })
    expect(await findPerson(sql, project, person?.id ?? 0)).toEqual(person)
    expect(await findPersonByDistinctId(sql, project, 'a')).toEqual(person)
    const byUuid = await personsByUuid(sql, project, [uuid, personUuid(project, 'a'), personUuid(project, 'c')])
    expect([...byUuid.values()]).toEqual([person, person])
    expect(await findPerson(sql, project, 'nobody')).toBeNull()
    expect(await mergeHistory(sql, project, uuid)).toMatchObject([
      { mergedPersonUuid: personUuid(project, 'a'), event: '$merge_dangerously' },
    ])
  })

  it('that are deleted say under which uuids their events may be', async () => {
    await batch(sql, [set('a', {}), set('b', {})])
    await one(sql, dangerously('b', 'a'))
    const { deleted, rows } = await remove('a', 'nobody')
    expect(deleted).toMatchObject([{ uuid: personUuid(project, 'b'), formerUuids: [personUuid(project, 'a')] }])
    expect(rows.persons).toMatchObject([{ id: personUuid(project, 'b'), is_deleted: 1, properties: '{}' }])
    expect(await personsOf(sql, project)).toEqual([])
    expect((await remove('a')).deleted).toEqual([])
  })

  it('are split into one for each id; without a main id the properties go', async () => {
    await batch(sql, [identify('user', 'anon'), set('user', { n: 1 })])
    const result = await inTransaction(sql, (tx) => splitPerson(tx, project, personUuid(project, 'user')))
    expect(result?.person).toMatchObject({ distinctIds: ['user'], properties: {} })
    expect(result?.created).toMatchObject([
      { uuid: personUuid(project, 'anon'), distinctIds: ['anon'], properties: {} },
    ])
    await expect(
      inTransaction(sql, (tx) => splitPerson(tx, project, personUuid(project, 'user'), 'stranger')),
    ).rejects.toMatchObject({ reason: 'invalid_input', path: ['main_distinct_id'] })
  })

  it('whose uuid somebody else kept in a split get another one', async () => {
    await batch(sql, [identify('user', 'anon')])
    await inTransaction(sql, (tx) => splitPerson(tx, project, personUuid(project, 'user'), 'anon'))
    await remove('user')
    const back = await one(sql, set('user', {}))
    expect(back.personId).not.toBe(personUuid(project, 'user'))
    expect(await personsOf(sql, project)).toHaveLength(2)
  })
})

it('properties over the limit are refused with a warning, by creation, change and merge', async () => {
  const large = 'x'.repeat(400_000)
  const { events } = await batch(sql, [
    anEvent(project, 'x', 'a', { $set: { one: large, two: large } }),
    anEvent(project, 'x', 'a', { $set: { one: large } }),
    anEvent(project, 'x', 'a', { $set: { two: large } }),
    anEvent(project, 'x', 'b', { $set: { two: large, b: 1 } }),
    dangerously('b', 'a'),
  ])
  expect(events.map((event) => event.warnings.map(({ type }) => type))).toEqual(
    [1, 0, 1, 0, 1].map((n) => Array(n).fill('person_properties_too_large')),
  )
  const [person] = await personsOf(sql, project)
  expect(Object.keys(person?.properties ?? {}).toSorted()).toEqual(['$creator_event_uuid', 'b', 'two'])
})
