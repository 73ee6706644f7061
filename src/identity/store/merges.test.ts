import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anEvent, at, batch, newProject, one, overridesOf, personsOf } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { personUuid } from '../rules/person-uuid.ts'

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
const identify = (user: string, anonymous: string, properties = {}) =>
  anEvent(project, '$identify', user, { $anon_distinct_id: anonymous, ...properties })
const personless = (id: string) => anEvent(project, 'seen', id, { $process_person_profile: false })

describe('$identify', () => {
  it('P6: makes one person of two unknown ids', async () => {
    await fresh()
    const outcome = await one(sql, identify('new-user', 'old-user', { $set: { foo: 'bar' } }))
    const [person, ...others] = await personsOf(sql, project)
    expect(others).toEqual([])
    expect(person).toMatchObject({
      uuid: personUuid(project, 'new-user'),
      distinct_ids: ['new-user', 'old-user'],
      properties: { foo: 'bar' },
      is_identified: true,
    })
    expect(outcome.rows.person_overrides).toEqual([])
  })

  it('P7: gives the new id to the anonymous person', async () => {
    await fresh()
    const before = await one(sql, anEvent(project, 'a', 'old-user'))
    // Ids are listed in the order in which they came, to the millisecond.
    const came = Date.now()
    await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(came)
    const after = await one(sql, identify('new-user', 'old-user'))
    expect(after.personId).toBe(before.personId)
    expect(await personsOf(sql, project)).toMatchObject([
      { distinct_ids: ['old-user', 'new-user'], is_identified: true },
    ])
    expect(await overridesOf(sql, project)).toEqual({})
  })

  it('P8: gives the anonymous id to the known person', async () => {
    await fresh()
    const before = await one(sql, anEvent(project, 'a', 'new-user'))
    const after = await one(sql, identify('new-user', 'old-user'))
    expect(after.personId).toBe(before.personId)
    expect(await personsOf(sql, project)).toMatchObject([
      { distinct_ids: ['new-user', 'old-user'], is_identified: true },
    ])
  })

  it('P9: merges an anonymous person into the identified one, which keeps its own properties and the earlier birthday', async () => {
    await fresh()
    const early = { timestamp: at('2019-05-05T00:00:00Z') }
    const anonymous = await one(sql, anEvent(project, 'a', 'anon', { $set: { a: 1, both: 'anon' } }, early))
    const known = await one(sql, anEvent(project, 'a', 'user', { $set: { b: 2, both: 'user' } }))
    const merged = await one(sql, identify('user', 'anon', { $set: { c: 3 } }))
    expect(merged.personId).toBe(known.personId)
    const persons = await personsOf(sql, project)
    expect(persons).toMatchObject([
      {
        uuid: known.personId,
        properties: { a: 1, b: 2, c: 3, both: 'user' },
        distinct_ids: ['anon', 'user'],
        is_identified: true,
        created_at: new Date(early.timestamp),
      },
    ])
    expect(await overridesOf(sql, project)).toEqual({ [anonymous.personId]: known.personId })
    expect(merged.rows.person_overrides).toMatchObject([
      { old_person_id: anonymous.personId, person_id: known.personId, is_deleted: 0 },
    ])
    expect(merged.rows.persons).toMatchObject([
      { id: known.personId, is_deleted: 0 },
      { id: anonymous.personId, is_deleted: 1 },
    ])
  })

  it('P10: is refused when the anonymous side is identified already; the person of the event is still updated', async () => {
    await fresh()
    await one(sql, identify('first', 'shared'))
    const second = await one(sql, anEvent(project, 'a', 'second'))
    const refused = await one(sql, identify('second', 'shared', { $set: { x: 1 } }))
    expect(refused.personId).toBe(second.personId)
    expect(refused.warnings).toMatchObject([{ type: 'cannot_merge_already_identified', distinctId: 'second' }])
    expect(await personsOf(sql, project)).toMatchObject([
      { distinct_ids: ['first', 'shared'] },
      { distinct_ids: ['second'], properties: { x: 1 }, is_identified: true },
    ])
  })

  it.each(['   ', 'null', 'undefined', '"undefined"', '[object Object]'])(
    'P11: refuses %j on either side',
    async (bad) => {
      await fresh()
      for (const event of [identify(bad, 'good'), identify('good', bad)]) {
        const outcome = await one(sql, event)
        expect(outcome.warnings).toMatchObject([{ type: 'cannot_merge_with_illegal_distinct_id' }])
      }
      for (const person of await personsOf(sql, project)) expect(person).toMatchObject({ is_identified: false })
      expect((await personsOf(sql, project)).map((person) => person.distinct_ids)).toEqual([[bad], ['good']])
    },
  )

  it('P12: without an anonymous id identifies nobody', async () => {
    await fresh()
    await one(sql, anEvent(project, '$identify', 'user', { $set: { a: 1 } }))
    expect(await personsOf(sql, project)).toMatchObject([{ is_identified: false, properties: { a: 1 } }])
  })

  it('with the same id on both sides only updates', async () => {
    await fresh()
    const outcome = await one(sql, identify('user', 'user', { $set: { a: 1 } }))
    expect(outcome.warnings).toEqual([])
    expect(await personsOf(sql, project)).toMatchObject([{ is_identified: false, properties: { a: 1 } }])
  })

  it('an anonymous visit and its identification in one batch leave no override behind', async () => {
    await fresh()
    const { events, rows } = await batch(sql, [
      anEvent(project, 'a', 'anon'),
      anEvent(project, 'a', 'user'),
      identify('user', 'anon'),
    ])
    expect(new Set(events.map((event) => event.kind === 'keep' && event.personId))).toEqual(
      new Set([personUuid(project, 'user')]),
    )
    expect(rows.persons).toHaveLength(1)
    expect(await overridesOf(sql, project)).toEqual({})
  })
})

describe('$create_alias', () => {
  const alias = (distinctId: string, other: string, properties = {}) =>
    anEvent(project, '$create_alias', distinctId, { alias: other, ...properties })

  it('keeps the person of the alias and lists its id first', async () => {
    await fresh()
    await one(sql, anEvent(project, 'a', 'visitor', { $set: { p: 'visitor' } }))
    const main = await one(sql, anEvent(project, 'a', 'main', { $set: { p: 'main' } }))
    const merged = await one(sql, alias('visitor', 'main', { $set: { q: 1 } }))
    expect(merged.personId).toBe(main.personId)
    expect(await personsOf(sql, project)).toMatchObject([
      { uuid: main.personId, distinct_ids: ['main', 'visitor'], properties: { p: 'main', q: 1 }, is_identified: true },
    ])
  })

  it('of two unknown ids makes the person of the alias', async () => {
    await fresh()
    await one(sql, alias('visitor', 'main'))
    expect(await personsOf(sql, project)).toMatchObject([
      { uuid: personUuid(project, 'main'), distinct_ids: ['main', 'visitor'] },
    ])
  })

  it('joins the person that exists when only one does', async () => {
    await fresh()
    const visitor = await one(sql, anEvent(project, 'a', 'visitor'))
    await one(sql, alias('visitor', 'main'))
    expect(await personsOf(sql, project)).toMatchObject([
      { uuid: visitor.personId, distinct_ids: ['main', 'visitor'], is_identified: true },
    ])
  })

  it('is refused only when both are identified', async () => {
    await fresh()
    await batch(sql, [identify('a', 'a-anon'), identify('b', 'b-anon'), anEvent(project, 'x', 'c')])
    const refused = await one(sql, alias('a', 'b'))
    expect(refused.warnings).toMatchObject([{ type: 'cannot_merge_already_identified' }])
    const merged = await one(sql, alias('a', 'c'))
    expect(merged.warnings).toEqual([])
    expect(merged.personId).toBe(personUuid(project, 'c'))
    expect(await personsOf(sql, project)).toHaveLength(2)
  })

  it.each([
    ['false', 'some_distinct_id'],
    ['some', 'null'],
  ])('P11: of %j to %j is refused', async (distinctId, other) => {
    await fresh()
    const outcome = await one(sql, alias(distinctId, other))
    expect(outcome.warnings).toMatchObject([{ type: 'cannot_merge_with_illegal_distinct_id' }])
    expect(await personsOf(sql, project)).toMatchObject([{ distinct_ids: [distinctId] }])
  })
})

describe('$merge_dangerously', () => {
  it('merges two identified persons', async () => {
    await fresh()
    await batch(sql, [identify('a', 'a-anon'), identify('b', 'b-anon')])
    const merged = await one(sql, anEvent(project, '$merge_dangerously', 'a', { alias: 'b' }))
    expect(merged.personId).toBe(personUuid(project, 'a'))
    expect(await personsOf(sql, project)).toMatchObject([{ distinct_ids: ['a', 'a-anon', 'b', 'b-anon'] }])
    expect(await overridesOf(sql, project)).toEqual({ [personUuid(project, 'b')]: personUuid(project, 'a') })
  })

  it('flattens chains: what pointed at the person that goes points at the survivor', async () => {
    await fresh()
    for (const id of ['a', 'b', 'c']) await one(sql, anEvent(project, 'x', id))
    await one(sql, anEvent(project, '$merge_dangerously', 'b', { alias: 'a' }))
    await one(sql, anEvent(project, '$merge_dangerously', 'c', { alias: 'b' }))
    const c = personUuid(project, 'c')
    expect(await overridesOf(sql, project)).toEqual({ [personUuid(project, 'a')]: c, [personUuid(project, 'b')]: c })
  })
})

describe('an event without a person', () => {
  it('has the uuid its person will have, and no person is made', async () => {
    await fresh()
    const outcome = await one(sql, personless('anon'))
    expect(outcome).toMatchObject({
      personId: personUuid(project, 'anon'),
      personMode: 'propertyless',
      personProperties: {},
      personCreatedAt: 5_000,
      properties: { $process_person_profile: false },
    })
    expect(await personsOf(sql, project)).toEqual([])
    expect((await one(sql, anEvent(project, 'a', 'anon'))).personId).toBe(outcome.personId)
  })

  it('is attributed later: by an override when the id joins an existing person', async () => {
    await fresh()
    const before = await one(sql, personless('anon'))
    const user = await one(sql, anEvent(project, 'a', 'user'))
    await one(sql, identify('user', 'anon'))
    expect(await overridesOf(sql, project)).toEqual({ [before.personId]: user.personId })
  })

  it('is attributed later: the new person takes its uuid when only the other id was used', async () => {
    await fresh()
    const before = await one(sql, personless('anon'))
    const after = await one(sql, identify('user', 'anon'))
    expect(after.personId).toBe(before.personId)
    expect(await overridesOf(sql, project)).toEqual({})
  })

  it('is attributed later: when both ids were used the main one wins and the other is overridden', async () => {
    await fresh()
    await batch(sql, [personless('anon'), personless('user')])
    const after = await one(sql, identify('user', 'anon'))
    expect(after.personId).toBe(personUuid(project, 'user'))
    expect(await overridesOf(sql, project)).toEqual({ [personUuid(project, 'anon')]: after.personId })
  })

  it('a minute after its person was made is marked as one that should have had a person', async () => {
    await fresh()
    const born = at('2020-01-01T12:00:00Z')
    await one(sql, anEvent(project, 'a', 'u', { $set: { a: 1 } }, { timestamp: born }))
    const soon = await one(sql, { ...personless('u'), timestamp: born + 60_000 })
    const late = await one(sql, { ...personless('u'), timestamp: born + 60_001 })
    expect([soon.personMode, late.personMode]).toEqual(['propertyless', 'force_upgrade'])
    expect(late.personProperties).toEqual({})
  })
})

it('a deferred event changes nobody, but its person is known', async () => {
  await fresh()
  const deferred = { personProcessing: 'deferred' as const }
  const unknown = await one(sql, anEvent(project, 'a', 'u', { $set: { a: 1 } }, deferred))
  expect(unknown).toMatchObject({ personId: personUuid(project, 'u'), personMode: 'propertyless' })
  await one(sql, anEvent(project, 'a', 'u', { $set: { a: 2 } }))
  const known = await one(sql, anEvent(project, 'a', 'u', { $set: { a: 3 } }, deferred))
  expect(known).toMatchObject({ personProperties: { a: 2 }, personMode: 'full' })
  expect(await personsOf(sql, project)).toMatchObject([{ properties: { a: 2 }, version: 0 }])
})
