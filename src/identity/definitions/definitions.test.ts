import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newProject } from '../../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { inTransaction, type Sql } from '../../engines/postgres/index.ts'
import type { JsonObject } from '../../lib/json.ts'
import { guessType } from './guess-type.ts'
import { listEventDefinitions, listPropertyDefinitions, propertyValues } from './read.ts'
import { DefinitionRecorder } from './recorder.ts'

const NOW = new Date('2024-06-01T12:00:00Z')

describe('the type of a property', () => {
  it.each([
    ['utm_source', 12, 'String'],
    ['$feature/x', true, 'String'],
    ['signup_at', 1_717_243_200, 'DateTime'],
    ['signup_at', 12, 'Numeric'],
    ['created_date', '2024-01-01', 'DateTime'],
    ['when', '2024-01-01T10:00:00Z', 'DateTime'],
    ['when', 'Mon, 01 Jan 2024 10:00:00 GMT', 'DateTime'],
    ['plan', 'true', 'Boolean'],
    ['plan', false, 'Boolean'],
    ['plan', 'gold', 'String'],
    ['plan', '2024', 'String'],
    ['plan', 3.5, 'Numeric'],
    ['plan', '\uE0F712345678901234567890', 'Numeric'],
    ['plan', null, null],
    ['plan', [1], null],
    ['plan', { a: 1 }, null],
  ] as const)('%s = %j is %s', (key, value, type) => {
    expect(guessType(key, value as never, NOW.getTime())).toBe(type)
  })
})

describe('definitions', () => {
  let postgres: TestPostgres
  let sql: Sql
  let project: number
  let recorder: DefinitionRecorder

  beforeAll(async () => {
    postgres = await startTestPostgres()
    sql = postgres.sql
  })
  afterAll(() => postgres?.stop())

  const fresh = async () => {
    project = await newProject(sql)
    recorder = new DefinitionRecorder()
  }
  /** Notes a batch and says how many statements that took. */
  const note = async (events: [string, JsonObject][], now = NOW) => {
    const noted = recorder.note(
      events.map(([event, properties]) => ({ project, event, properties, groupTypeIndex: 0 })),
      now,
    )
    let statements = 0
    await inTransaction(sql, async (tx) => {
      const counting = new Proxy(tx, {
        apply: (target, self, args) => {
          if (String(args[0]?.[0]).includes('INSERT')) statements += 1
          return Reflect.apply(target, self, args)
        },
      })
      await noted.write(counting)
    })
    noted.committed()
    return statements
  }
  const seconds = (n: number) => new Date(NOW.getTime() + n * 1000)

  it('are written with the first event, and not again while nothing is new', async () => {
    await fresh()
    expect(await note([['a', { p: 1, $set: { email: 'x@y.z' } }]])).toBe(3)
    expect(await note([['a', { p: 2, $set: { email: 'x@y.z' } }]], seconds(1))).toBe(0)
    expect(await note([['a', { p: 2, q: 1 }]], seconds(2))).toBe(3)
    const { results } = await listPropertyDefinitions(sql, project, { type: 'person' })
    expect(results).toMatchObject([{ name: 'email', propertyType: 'String', samples: ['x@y.z'] }])
  })

  it('gather counts and write them once a minute', async () => {
    await fresh()
    await note([['a', { p: 1 }]])
    for (let i = 1; i <= 5; i++)
      await note(
        [
          ['a', { p: 1 }],
          ['a', {}],
        ],
        seconds(i),
      )
    await note([['a', { p: 2 }]], seconds(61))
    expect((await listEventDefinitions(sql, project)).results).toMatchObject([
      { name: 'a', count: 12, lastSeenAt: seconds(61) },
    ])
    const { results } = await listPropertyDefinitions(sql, project, { eventNames: ['a'] })
    expect(results).toMatchObject([{ name: 'p', count: 7, propertyType: 'Numeric' }])
    expect(results[0]?.samples.toSorted()).toEqual([1, 2])
  })

  it('of a batch that was rolled back do not count', async () => {
    await fresh()
    recorder.note([{ project, event: 'a', properties: {} }], NOW)
    await note([['a', {}]])
    expect((await listEventDefinitions(sql, project)).results).toMatchObject([{ name: 'a', count: 1 }])
  })

  it('of properties are ranked by how often the chosen event has them', async () => {
    await fresh()
    await note([
      ['view', { common: 1, rare: 1 }],
      ['view', { common: 2 }],
      ['buy', { rare: 1, price: 5 }],
      ['buy', { rare: 2 }],
      ['buy', { rare: 3 }],
    ])
    const names = async (eventNames?: string[]) =>
      (await listPropertyDefinitions(sql, project, { eventNames })).results.map(({ name }) => name)
    expect(await names(['view'])).toEqual(['common', 'rare'])
    expect(await names(['buy'])).toEqual(['rare', 'price'])
    expect(await names()).toEqual(['rare', 'common', 'price'])
    expect(await propertyValues(sql, project, { key: 'rare', eventNames: ['buy'], search: '2' })).toEqual([2])
  })

  it('leave out what belongs to persons and groups, and take groups from $groupidentify alone', async () => {
    await fresh()
    await note([
      [
        'a',
        { $set: { s: 1 }, $set_once: { o: 1 }, $unset: ['x'], $groups: {}, $group_0: 'k', own: 1, '$feature/f': true },
      ],
      ['$groupidentify', { $group_type: 'company', $group_set: { size: 3 }, ignored: 1 }],
    ])
    const names = async (type: 'event' | 'person' | 'group') =>
      (await listPropertyDefinitions(sql, project, { type })).results.map(({ name }) => name).sort()
    expect(await names('event')).toEqual(['$feature/f', 'own'])
    expect(await names('person')).toEqual(['o', 's'])
    expect(await names('group')).toEqual(['size'])
    expect(
      (await listPropertyDefinitions(sql, project, { eventNames: ['a'] })).results.map(({ name }) => name),
    ).toEqual(['own'])
  })

  it('beyond what a project may bring are left out and named; known ones go on counting', async () => {
    await fresh()
    const limits = { events: { total: 4, perHour: 3 }, properties: { total: 10, perHour: 2 } }
    recorder = new DefinitionRecorder({ flushEveryMs: 0, limits })
    const left = async (names: string[], properties: JsonObject = {}) => {
      const noted = recorder.note(
        names.map((event) => ({ project, event, properties })),
        NOW,
      )
      const found = await inTransaction(sql, async (tx) => {
        const over = await noted.limit(tx)
        await noted.write(tx)
        return over
      })
      noted.committed()
      return found.map(({ kind, count, names: some }) => [kind, count, some])
    }
    expect(await left(['a', 'b'], { p: 1 })).toEqual([])
    expect(await left(['a', 'c', 'd', 'e'], { p: 1, q: 1, r: 1 })).toEqual([
      ['events', 2, ['d', 'e']],
      ['properties', 1, ['r']],
    ])
    const names = async () => (await listEventDefinitions(sql, project)).results.map(({ name, count }) => [name, count])
    expect(await names()).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ])
    await sql`UPDATE event_definitions SET created_at = created_at - interval '2 hours' WHERE project_id = ${project}`
    expect(await left(['d', 'e'])).toEqual([['events', 1, ['e']]])
    expect((await names()).map(([name]) => name)).toEqual(['a', 'b', 'c', 'd'])
    const pairs = await sql`SELECT event, property FROM event_properties WHERE project_id = ${project} ORDER BY 1, 2`
    expect(pairs.map(({ event, property }) => `${event} ${property}`)).toEqual(['a p', 'a q', 'b p', 'c p', 'c q'])
  })

  it('survive names and values that Postgres cannot hold', async () => {
    await fresh()
    await note([['a\0', { 'p\ud800': 'v\0', ['x'.repeat(300)]: 1, big: '\uE0F712345678901234567890' }]])
    expect((await listEventDefinitions(sql, project)).results).toMatchObject([{ name: 'a\uFFFD' }])
    const { results } = await listPropertyDefinitions(sql, project, {})
    expect(results.map(({ name, samples }) => [name, samples])).toEqual([
      ['big', ['\uE0F712345678901234567890']],
      ['p\uFFFD', ['v\uFFFD']],
    ])
  })
})
