import { type ClickHouseClient, createClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../../test/support/clickhouse.ts'

let server: OwnClickHouse
let client: ClickHouseClient
beforeAll(async () => {
  server = await startOwnClickHouse()
  const { url, username, password } = server.server
  const { database } = server.embedded
  client = createClient({ url, username, password, database, use_multipart_params_auto: true })
})
afterAll(async () => {
  await client?.close()
  await server?.stop()
})

/** Sends values as parameters of one type, many to a query, and returns what came back. */
async function roundTrip(type: string, values: readonly unknown[]): Promise<unknown[]> {
  const names = values.map((_, i) => `v${i}`)
  const result = await client.query({
    query: `SELECT ${names.map((name) => `{${name}:${type}}`).join(', ')}`,
    query_params: Object.fromEntries(names.map((name, i) => [name, values[i]])),
    format: 'JSONCompactEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  })
  return ((await result.json()) as unknown[][])[0] as unknown[]
}

const PIECES = [
  "'",
  '\\',
  '\\\\',
  '\t',
  '\n',
  '\r',
  '\0',
  '\b',
  '\f',
  '"',
  '`',
  '{x:String}',
  '\\N',
  '\\n',
  "\\'",
  '--',
  '/*',
  '*/',
  ';',
  '%',
  '$',
  '&',
  '=',
  '+',
  '#',
  ' ',
  'é',
  '😀',
  '\u2028',
  '\ufeff',
  '\u007f',
  'NULL',
  "')",
  '[',
  ']',
  ',',
  'a',
  '?',
]
const awkward = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const sample = <T>(arbitrary: fc.Arbitrary<T>, count: number): T[] => fc.sample(arbitrary, { numRuns: count, seed: 7 })

function chunks<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => values.slice(i * size, (i + 1) * size))
}

async function expectExact(type: string, values: readonly unknown[], size = 50): Promise<void> {
  const answers = await Promise.all(chunks(values, size).map((chunk) => roundTrip(type, chunk)))
  expect(answers.flat()).toEqual(values)
}

test('awkward strings come back exactly', async () => {
  await expectExact('String', ['', ...PIECES, ...sample(awkward, 2_000)])
})

test('awkward strings come back exactly when each has a request of its own', async () => {
  await expectExact('String', sample(awkward, 200), 1)
})

test('arrays of awkward strings come back exactly', async () => {
  await expectExact('Array(String)', sample(fc.array(awkward, { maxLength: 5 }), 1_000))
})

test('nullable strings come back exactly', async () => {
  await expectExact('Nullable(String)', sample(fc.option(awkward.filter((text) => text !== '\\N')), 300))
})

test('maps of awkward strings come back exactly', async () => {
  const maps = sample(fc.dictionary(awkward, awkward, { maxKeys: 4 }), 300)
  const plain = maps.map((map) => ({ ...map }))
  await expectExact('Map(String, String)', plain)
})

test('numbers, uuids and times come back exactly', async () => {
  const bigints = (min: bigint, max: bigint) => sample(fc.bigInt({ min, max }), 200)
  const digits = (values: bigint[]) => values.map(String)
  const signed = [-(2n ** 63n), 2n ** 63n - 1n, 0n, ...bigints(-(2n ** 63n), 2n ** 63n - 1n)]
  const unsigned = [2n ** 64n - 1n, ...bigints(0n, 2n ** 64n - 1n)]
  expect(await roundTrip('Int64', signed)).toEqual(digits(signed))
  expect(await roundTrip('UInt64', unsigned)).toEqual(digits(unsigned))
  await expectExact(
    'Float64',
    [0.1, -1e-300, 1e300, ...sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 200)].map((x) => x + 0),
  )
  await expectExact('UUID', sample(fc.uuid(), 200))
  await expectExact("DateTime64(6, 'UTC')", ['2026-11-15 02:03:04.123456', '1970-01-01 00:00:00.000001'])
  expect(await roundTrip('Array(UInt64)', [[1, 2n ** 64n - 1n], []])).toEqual([['1', '18446744073709551615'], []])
})

test('a parameter may be long, also where it is the first thing that a session is told', async () => {
  const numbers = Array.from({ length: 60_000 }, (_, i) => 10n ** 38n + BigInt(i))
  for (let round = 0; round < 12; round++) {
    // A session that was read-only is not used again.
    const result = await client.query({
      query: 'SELECT length({numbers:Array(UInt128)}) AS count',
      query_params: { numbers },
      format: 'JSONEachRow',
      clickhouse_settings: { readonly: '2' },
    })
    expect(await result.json()).toEqual([{ count: 60_000 }])
  }
})
