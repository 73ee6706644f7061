import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../lib/json.ts'
import { propertyOf, propertyPath, propertyText, propertyTexts, writePropertyTexts } from './property-column.ts'
import { RowBinary } from './row-binary.ts'
import { ident, join, sql, str } from './sql.ts'

let server: TestClickHouse
beforeAll(async () => {
  server = await startTestClickHouse()
})
afterAll(() => server?.stop())

interface Named {
  readonly event: string
  readonly properties: JsonObject
}

const line = ({ event, properties }: Named): string =>
  stringifyJson({ project_id: 1, event, properties: stringifyJson(properties), props: propertyTexts(properties) })

/** Persons and groups are inserted as lines of JSON, events in binary. */
const INSERTS = {
  'lines of JSON': (events: readonly Named[]) => server.clickhouse.insert('events', events.map(line).join('\n')),
  binary: (events: readonly Named[]) => {
    const out = new RowBinary()
    for (const { event, properties } of events)
      writePropertyTexts(out.uint32(1).string(event).string(stringifyJson(properties)), properties)
    return server.clickhouse.insert('events', out.done(), {
      binaryColumns: ['project_id', 'event', 'properties', 'props'],
    })
  },
}

/** Reads properties of one event back by their keys. */
async function read(event: string, keys: readonly string[]): Promise<unknown[]> {
  const columns = keys.map((key, i) => sql`${propertyOf(ident('props'), key)} AS ${ident(`c${i}`)}`)
  const { rows } = await server.clickhouse.query<Record<string, unknown>>(
    sql`SELECT ${join(columns, ', ')} FROM events WHERE project_id = 1 AND event = ${str(event)}`,
  )
  return keys.map((_, i) => rows[0]?.[`c${i}`])
}

const thousands = Array.from({ length: 3_000 }, (_, n) => [`key ${n}`, n] as const)

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
  ['more keys than a column has subcolumns', JSON.stringify(Object.fromEntries(thousands))],
])('%s', async (name, text) => {
  const properties = parseJson(text) as JsonObject
  for (const [form, insert] of Object.entries(INSERTS)) {
    const event = `${name} as ${form}`
    await insert([{ event, properties }])
    const keys = Object.keys(properties).slice(-20)
    expect(await read(event, keys)).toEqual(keys.map((key) => propertyText(properties[key] as Json)))
  }
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
  const fuzz = (form: string) =>
    objects.map((object, i) => ({ event: `fuzz ${i} as ${form}`, properties: object as Record<string, Json> }))
  for (const [form, insert] of Object.entries(INSERTS)) await insert(fuzz(form))
  const some = Object.keys(INSERTS).flatMap((form) => fuzz(form).slice(0, 60))
  for (const { event, properties } of some) {
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
