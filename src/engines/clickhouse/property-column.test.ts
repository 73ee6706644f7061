import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts'
import { propertyOf, propertyPath, propertyText, propertyTexts } from './property-column.ts'
import { ident, join, sql, str } from './sql.ts'

let server: TestClickHouse
beforeAll(async () => {
  server = await startTestClickHouse()
})
afterAll(() => server?.stop())

const line = (event: string, properties: JsonObject): string =>
  stringifyJson({
    project_id: 1,
    event,
    properties: stringifyJson(properties),
    person_properties: '{}',
    props: propertyTexts(properties),
    person_props: {},
  })

/** Reads properties of one event back by their keys. */
async function read(event: string, keys: readonly string[]): Promise<unknown[]> {
  const columns = keys.map((key, i) => sql`${propertyOf(ident('props'), key)} AS ${ident(`c${i}`)}`)
  const { rows } = await server.clickhouse.query<Record<string, unknown>>(
    sql`SELECT ${join(columns, ', ')} FROM events WHERE project_id = 1 AND event = ${str(event)}`,
  )
  return keys.map((_, i) => rows[0]?.[`c${i}`])
}

test.each([
  ['dates stay texts', '{"d":"2026-01-02","t":"2026-01-02T03:04:05Z"}'],
  ['dotted keys beside nested objects', '{"a":{"b":1},"a.b":2,"$feature/x.y":"on"}'],
  ['empty keys', '{"":1,"a":{"":2}}'],
  ['NUL and lone surrogates', '{"a":"x\\u0000y","b":"x\\ud800y","\\ud800":1}'],
  ['numbers beyond 64 bits and beyond a double', '{"a":123456789012345678901234567890,"b":1e400,"c":1.0,"d":1e20}'],
  [
    'quotes and syntax in keys',
    '{"it\'s":1,"back`tick":2,"q\\"q":3,"b\\\\s":4,"^x":5,"x:y":6,"a%2eb":7,"[0]":8,"@":9,"tab\\t":10}',
  ],
  ['names that mean something in JavaScript', '{"__proto__":"x","constructor":"y"}'],
  ['other scripts', '{"ключ":"знач 😀","名前":"値"}'],
  ['deep nesting', `{"deep":${'{"a":'.repeat(1_500)}1${'}'.repeat(1_500)}}`],
])('%s', async (event, text) => {
  const properties = parseJson(text) as JsonObject
  await server.clickhouse.insert('events', line(event, properties))
  expect(await read(event, Object.keys(properties))).toEqual(Object.values(properties).map(propertyText))
})

test('whatever JSON a client sends, the batch is stored and every property is found under its key', async () => {
  const unit = fc.oneof(
    fc.constantFrom('.', '%', '"', "'", '`', '\\', '\ud800', '\udc00', '\0', '\n', '$', ':', '^', '[', '2e'),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  )
  const text = fc.string({ unit, maxLength: 8 })
  const value = fc.oneof(
    text,
    fc.double(),
    fc.boolean(),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(text, text, { maxKeys: 2 }),
  )
  const objects = fc.sample(fc.dictionary(text, value, { minKeys: 1, maxKeys: 6 }), { numRuns: 300, seed: 3 })
  const events = objects.map((object, i) => ({ event: `fuzz ${i}`, properties: object as Record<string, Json> }))
  await server.clickhouse.insert('events', events.map(({ event, properties }) => line(event, properties)).join('\n'))
  for (const { event, properties } of events.slice(0, 100)) {
    // Keys that differ only in their lone surrogates share a path; the last one wins.
    const byPath = new Map(Object.entries(properties).map(([key, sent]) => [propertyPath(key), { key, sent }]))
    const kept = [...byPath.values()]
    expect(
      await read(
        event,
        kept.map(({ key }) => key),
      ),
    ).toEqual(kept.map(({ sent }) => propertyText(sent) ?? null))
  }
})
