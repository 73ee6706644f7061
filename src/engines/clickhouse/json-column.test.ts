import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts'
import { mendedProps } from './json-column.ts'
import { sql, str } from './sql.ts'

let house: TestClickHouse
beforeAll(async () => {
  house = await startTestClickHouse()
})
afterAll(() => house?.stop())

let count = 0

/** Stores an event the way the pipeline does and reads both forms of its properties. */
async function stored(text: string): Promise<{ exact: string; props: unknown; paths: Record<string, string> }> {
  const event = `e${++count}`
  const properties = parseJson(text) as JsonObject
  const exactText = stringifyJson(properties)
  const mended = mendedProps(properties, exactText)
  const row = stringifyJson({
    project_id: 1,
    uuid: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    event,
    timestamp: '2026-01-01 00:00:00.000000',
    properties: exactText,
    person_properties: '{}',
  })
  const line = mended === undefined ? row : `${row.slice(0, -1)},"props":${mended}}`
  await house.clickhouse.insert('events', line)
  const { rows } = await house.clickhouse.query<{ exact: string; read: string; paths: Record<string, string> }>(
    sql`SELECT properties AS exact, toString(props) AS read, JSONAllPathsWithTypes(props) AS paths FROM events WHERE event = ${str(event)}`,
  )
  const found = rows[0] as { exact: string; read: string; paths: Record<string, string> }
  expect(found.exact).toBe(exactText)
  return { ...found, props: JSON.parse(found.read) }
}

test('strings that look like dates or numbers stay strings', async () => {
  const { paths } = await stored('{"day":"2026-01-02","at":"2026-01-02T03:04:05Z","n":"12"}')
  expect(paths).toEqual({ day: 'String', at: 'String', n: 'String' })
})

test('a dot in a key stays in the key, also beside a nested object', async () => {
  const { props, paths } = await stored('{"a":{"b":1},"a.b":2,"$feature/x.y":"on"}')
  expect(props).toEqual({ a: { b: 1 }, 'a.b': 2, '$feature/x.y': 'on' })
  expect(Object.keys(paths).sort()).toEqual(['$feature/x%2Ey', 'a%2Eb', 'a.b'])
})

test.each([
  ['an empty key', '{"":1,"a":{"":2}}', { '': 1, a: { '': 2 } }],
  ['a value and a dotted key of the same name', '{"a":1,"a.b":2}', { a: 1, 'a.b': 2 }],
  ['a NUL character', '{"a":"x\\u0000y"}', { a: 'x\0y' }],
  ['a lone surrogate in a value', '{"a":"x\\ud800y","b":1}', { a: 'x\ufffdy', b: 1 }],
  ['a lone surrogate in a key', '{"\\ud800":1,"b":1}', { '\ufffd': 1, b: 1 }],
  ['an emoji', '{"a":"\\ud83d\\ude00"}', { a: '😀' }],
  ['an integer beyond 64 bits', '{"a":18446744073709551616,"b":1}', { a: '18446744073709551616', b: 1 }],
  ['an integer beyond 10^21', '{"a":123456789012345678901234567890,"b":1}', { a: 1.2345678901234568e29, b: 1 }],
  ['a double without a fraction', '{"a":1e20,"b":1}', { a: '100000000000000000000', b: 1 }],
  ['mixed arrays', '{"a":[1,"x",null,{"b":[2]}]}', { a: [1, 'x', null, { b: [2] }] }],
  ['no property', '{}', {}],
])('%s does not cost the other properties', async (_, text, expected) => {
  expect((await stored(text)).props).toEqual(expected)
})

test('the largest 64-bit integers keep their digits', async () => {
  const { paths } = await stored('{"a":18446744073709551615,"b":-9223372036854775808}')
  expect(paths).toEqual({ a: 'UInt64', b: 'Int64' })
})

test('a number beyond a double, and nesting beyond reason, do not cost the other properties', async () => {
  expect((await stored('{"a":1e400,"b":1}')).props).toMatchObject({ b: 1 })
  const deep = `{"b":1,"deep":${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}}`
  expect((await stored(deep)).props).toMatchObject({ b: 1 })
})

test('a text that is no object stores an event without props rather than failing the batch', async () => {
  const broken = { project_id: 1, event: 'broken', properties: '{"a":', person_properties: '[1]' }
  const fine = { project_id: 1, event: 'fine', properties: '{"a":1,"a":2}', person_properties: '{}' }
  await house.clickhouse.insert('events', `${JSON.stringify(broken)}\n${JSON.stringify(fine)}`)
  const { rows } = await house.clickhouse.query(
    sql`SELECT event, toString(props) AS read FROM events WHERE event IN ('broken', 'fine') ORDER BY event`,
  )
  expect(rows).toEqual([
    { event: 'broken', read: '{}' },
    { event: 'fine', read: '{"a":1}' },
  ])
})

test('ordinary texts are not touched', () => {
  const properties = { $browser: 'Chrome', price: 12.5, id: 1234567890123456, list: [1, 2], at: '2026-01-02' }
  expect(mendedProps(properties, stringifyJson(properties))).toBeUndefined()
})

test('whatever JSON a client sends, the batch is stored and no property of an event keeps the others out', async () => {
  const unit = fc.oneof(
    fc.constantFrom('.', '%', '"', '\\', '\ud800', '\udc00', '\0', '$', 'a', '2026-01-02'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  )
  const text = fc.string({ unit, maxLength: 8 })
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
    fc.constantFrom(1e20, -1e25, 1e308),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  const objects = fc.sample(fc.dictionary(text, value, { maxKeys: 5 }), { numRuns: 1_000, seed: 3 }) as JsonObject[]
  const lines = objects.map((object, i) => {
    const properties = { ...object, 'a sure sign': i }
    const exact = stringifyJson(properties)
    const mended = mendedProps(properties, exact)
    const row = stringifyJson({ project_id: 2, event: 'fuzz', properties: exact, person_properties: '{}' })
    return mended === undefined ? row : `${row.slice(0, -1)},"props":${mended}}`
  })
  await house.clickhouse.insert('events', lines.join('\n'))
  const { rows } = await house.clickhouse.query<{ signs: number }>(
    sql`SELECT uniqExact(getSubcolumn(props, 'a sure sign')) AS signs FROM events WHERE project_id = 2`,
  )
  expect(rows).toEqual([{ signs: 1_000 }])
})
