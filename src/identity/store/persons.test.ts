import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anEvent, at, batch, newProject, one, personsOf } from '../../../test/support/identity.ts'
import { exactValue, NUMBER_TEXT } from '../../../test/support/number-texts.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts'
import { personUuid } from '../rules/person-uuid.ts'
import { findPerson, lastSeen } from './persons.ts'
import { resolveIdentities } from './resolve.ts'

let postgres: TestPostgres
let project: number

beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

const fresh = async () => {
  project = await newProject(postgres.sql)
  return postgres.sql
}
const only = async () => {
  const persons = await personsOf(postgres.sql, project)
  expect(persons).toHaveLength(1)
  return persons[0] as NonNullable<(typeof persons)[0]>
}

describe('a person', () => {
  it('P1: is made by the first event of a distinct id, with $set over $set_once', async () => {
    const sql = await fresh()
    const timestamp = at('2020-01-01T12:00:05.200Z')
    const event = anEvent(
      project,
      '$pageview',
      'new-user',
      { $set_once: { a: 1, b: 2 }, $set: { b: 3, c: 4 } },
      { timestamp },
    )
    const outcome = await one(sql, event)
    const person = await only()
    expect(person).toMatchObject({
      uuid: personUuid(project, 'new-user'),
      properties: { a: 1, b: 3, c: 4, $creator_event_uuid: event.uuid },
      created_at: new Date(timestamp),
      is_identified: false,
      version: 0,
      distinct_ids: ['new-user'],
    })
    expect(outcome).toMatchObject({
      personId: person.uuid,
      personMode: 'full',
      personCreatedAt: timestamp,
      personProperties: person.properties,
    })
    expect(outcome.rows.persons).toMatchObject([
      {
        project_id: project,
        id: person.uuid,
        created_at: '2020-01-01 12:00:05.200',
        properties: expect.any(String),
        is_identified: 0,
        is_deleted: 0,
        version: 0,
      },
    ])
  })

  it('P2, P3: changes by later events, and not by those that say nothing new', async () => {
    const sql = await fresh()
    await one(sql, anEvent(project, 'a', 'u', { $set: { b: 3, c: 4 } }))
    const later = { timestamp: at('2019-01-01T00:00:00Z') }
    await one(sql, anEvent(project, 'a', 'u', { $set_once: { c: 3, e: 4 }, $set: { b: 4 } }, later))
    const second = await only()
    expect(second).toMatchObject({
      properties: { b: 4, c: 4, e: 4 },
      version: 1,
      created_at: new Date('2020-01-01T12:00:00Z'),
    })
    const outcome = await one(sql, anEvent(project, 'a', 'u', { $set_once: { c: 9 }, $set: { b: 4 } }))
    expect(await only()).toMatchObject({ properties: second.properties, version: 1 })
    expect(outcome.rows.persons).toEqual([])
  })

  it('sees the events of one batch in their order', async () => {
    const sql = await fresh()
    const { events } = await batch(sql, [
      anEvent(project, 'a', 'u', { $set: { n: 1 } }),
      anEvent(project, 'a', 'u', { $set: { n: 2 } }),
      anEvent(project, 'a', 'u', { $unset: ['n'] }),
    ])
    expect(events.map((e) => e.kind === 'keep' && e.personProperties.n)).toEqual([1, 2, undefined])
    expect(await only()).toMatchObject({ version: 2 })
  })

  it('keeps what Postgres cannot: NUL, half characters and huge integers in properties', async () => {
    const sql = await fresh()
    await one(
      sql,
      anEvent(project, 'a', 'u\0\ud800', { $set: { 'k\0': 'v\0', half: '\udc00', big: '\uE0F712345678901234567890' } }),
    )
    expect(await only()).toMatchObject({
      distinct_ids: ['u\uFFFD\uFFFD'],
      properties: { 'k\uFFFD': 'v\uFFFD', half: '\uFFFD', big: '\uE0F712345678901234567890' },
    })
  })

  it('gives every number back with the value that was sent, and names in the ledger what it cannot', async () => {
    const sql = await fresh()
    const sent = [...fc.sample(NUMBER_TEXT, 300), '1e400', '-1E-400', `${'7'.repeat(2_000)}`, '1e99999']
    const $set = parseJson(`{${sent.map((text, n) => `"n${n}":${text}`).join(',')}}`) as JsonObject
    const outcome = await one(sql, anEvent(project, 'a', 'u', { $set }))
    const { properties } = await only()
    const back = sent.map((_, n) => stringifyJson(properties[`n${n}`]))
    expect(back.slice(0, -2).map(exactValue)).toEqual(sent.slice(0, -2).map(exactValue))
    expect(back.slice(-4, -2)).toEqual(['1e400', '-1e-400'])
    expect(back.slice(-2)).toEqual(sent.slice(-2).map((text) => `"${text}"`))
    expect(outcome.warnings).toMatchObject([
      { type: 'property_value_changed', details: { property: '$set', keys: ['n302', 'n303'] } },
    ])
    const again = await one(sql, anEvent(project, 'a', 'u', { $set: { n300: $set.n300 as string } }))
    expect([again.warnings, (await only()).version]).toEqual([[], 0])
  })

  it('survives the year 0, long e-mail addresses, deep nesting and group types without end', async () => {
    const sql = await fresh()
    const noise = Array.from({ length: 2_000 }, (_, i) => personUuid(i, 'x')).join('')
    let deep: JsonObject = {}
    for (let i = 0; i < 3_000; i++) deep = { deep }
    const year0 = { timestamp: at('0000-03-01T00:00:00Z') }
    const event = anEvent(project, 'a', 'u', { $set: { email: noise, deep }, $groups: { [noise]: '1' } }, year0)
    const { warnings, rows } = await one(sql, event)
    expect(warnings).toMatchObject([{ type: 'property_value_changed' }, { type: 'group_type_limit' }])
    expect(rows.persons).toMatchObject([{ created_at: '1900-01-01 00:00:00.000' }])
    const person = await only()
    expect(person.properties.email).toBe(noise)
    expect(person.created_at.toISOString()).toBe('1900-01-01T00:00:00.000Z')
  })

  it('is last seen when an event says so, written once in five minutes, which changes no version', async () => {
    const sql = await fresh()
    const seen = async (timestamp: string, properties = {}) => {
      await one(sql, anEvent(project, 'a', 'u', properties, { timestamp: at(timestamp) }))
      return (await only()).last_seen_at?.toISOString()
    }
    expect(await seen('2024-01-01T10:59:01.250Z')).toBe('2024-01-01T10:59:01.250Z')
    expect(await seen('2024-01-01T11:04:01Z')).toBe('2024-01-01T10:59:01.250Z')
    expect(await seen('2024-01-01T11:04:02Z')).toBe('2024-01-01T11:04:02.000Z')
    expect(await seen('2024-01-01T11:00:00Z')).toBe('2024-01-01T11:04:02.000Z')
    expect(await seen('2024-01-02T00:00:00Z', { $update_person_last_seen_at: false })).toBe('2024-01-01T11:04:02.000Z')
    expect(await only()).toMatchObject({ version: 0 })
    expect(await seen('2024-01-01T11:09:01Z', { $set: { plan: 'pro' } })).toBe('2024-01-01T11:04:02.000Z')
    expect(await seen('2024-01-01T11:09:02Z', { $set: { plan: 'max' } })).toBe('2024-01-01T11:09:02.000Z')
  })

  it('has properties that no index contains, so that a change of them is written in place', async () => {
    const sql = await fresh()
    expect([
      ...(await sql`SELECT indexdef FROM pg_indexes WHERE tablename = 'persons' AND indexdef LIKE '%properties%'`),
    ]).toEqual([])
    await one(sql, anEvent(project, 'a', 'u', { $set: { email: 'Ada@Example.com' } }))
    const found = () => sql`SELECT lower_email FROM persons WHERE project_id = ${project}`
    expect([...(await found())]).toEqual([{ lower_email: 'ada@example.com' }])
    await one(sql, anEvent(project, 'a', 'u', { $unset: ['email'] }))
    expect([...(await found())]).toEqual([{ lower_email: null }])
  })

  it('that an earlier version saw to the hour is not last seen before it was first', async () => {
    const sql = await fresh()
    await one(sql, anEvent(project, 'a', 'u', {}, { timestamp: at('2024-01-01T10:59:00Z') }))
    await sql`UPDATE persons SET last_seen_at = '2024-01-01T10:00:00Z' WHERE project_id = ${project}`
    const person = await findPerson(sql, project, (await only()).uuid)
    expect(person?.lastSeenAt).toEqual(new Date('2024-01-01T10:59:00Z'))
  })

  it('is found by an index among those who were seen last, or longest ago', async () => {
    const sql = await fresh()
    await sql`
      INSERT INTO persons (project_id, uuid, created_at, last_seen_at)
      SELECT ${project}, gen_random_uuid(), now() - n * interval '1 minute', CASE WHEN n % 3 > 0 THEN now() - n % 97 * interval '1 hour' END
      FROM generate_series(1, 5000) AS n`
    await sql`ANALYZE persons`
    for (const order of [sql`${lastSeen(sql)} DESC`, lastSeen(sql)]) {
      const plan = await sql`
        EXPLAIN SELECT p.id FROM persons p WHERE p.project_id = ${project} ORDER BY ${order}, p.uuid LIMIT 100`
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('using persons_last_seen')
    }
  })

  it('that is known and does not change costs one statement a batch', async () => {
    const sql = await fresh()
    const batchOf = () =>
      ['u', 'v', 'w'].map((id) => anEvent(project, '$pageview', id, { $browser: 'x', $groups: { company: 'acme' } }))
    await batch(sql, batchOf())
    await batch(sql, batchOf())
    let statements = 0
    await sql.begin(async (tx) => {
      const counting = new Proxy(tx, {
        apply: (target, self, args) => {
          statements += 1
          return Reflect.apply(target, self, args)
        },
      })
      await resolveIdentities(counting, batchOf(), new Date())
    })
    expect(statements).toBe(1)
  })
})
