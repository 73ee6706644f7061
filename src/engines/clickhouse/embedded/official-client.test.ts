import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../../test/support/clickhouse.ts'

let server: OwnClickHouse
let client: ClickHouseClient
beforeAll(async () => {
  server = await startOwnClickHouse()
  const { url, username, password } = server.server
  const { database } = server.embedded
  client = createClient({ url, username, password, database, log: { level: ClickHouseLogLevel.OFF } })
})
afterAll(async () => {
  await client?.close()
  await server?.stop()
})

const rows = async (query: string, more: object = {}) =>
  (await client.query({ query, format: 'JSONEachRow', ...more })).json()

test('ping answers, with and without a query', async () => {
  expect(await client.ping()).toMatchObject({ success: true })
  expect(await client.ping({ select: true })).toMatchObject({ success: true })
})

test('a wrong password is refused with its ClickHouse code', async () => {
  const stranger = createClient({
    url: server.server.url,
    username: 'footfall',
    password: 'guess',
    log: { level: ClickHouseLogLevel.OFF },
  })
  await expect(stranger.query({ query: 'SELECT 1' })).rejects.toMatchObject({
    code: '516',
    type: 'AUTHENTICATION_FAILED',
  })
  await stranger.close()
})

test('rows inserted as an array, a stream of objects and compressed text are read back', async () => {
  await client.command({
    query: 'CREATE TABLE things (id UInt32, name String DEFAULT upper(toString(id))) ENGINE = MergeTree ORDER BY id',
  })
  const array = await client.insert({ table: 'things', values: [{ id: 1, name: 'one' }], format: 'JSONEachRow' })
  expect(array.summary?.written_rows).toBe('1')
  await client.insert({
    table: 'things',
    values: Readable.from(
      [
        { id: 2, name: 'two' },
        { id: 3, name: 'three\n"3"' },
      ],
      { objectMode: true },
    ),
    format: 'JSONEachRow',
  })
  await client.insert({
    table: 'things',
    columns: ['name', 'id'],
    values: Readable.from(['four,4\n'], { objectMode: false }),
    format: 'CSV',
  })
  const { url, username, password } = server.server
  const zipped = await fetch(
    `${url}/?database=footfall&query=${encodeURIComponent('INSERT INTO things FORMAT JSONEachRow')}`,
    {
      method: 'POST',
      headers: {
        'content-encoding': 'gzip',
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      },
      body: new Uint8Array(gzipSync('{"id":5}\n')),
    },
  )
  expect(zipped.status).toBe(200)
  expect(await rows('SELECT * FROM things ORDER BY id')).toEqual([
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
    { id: 3, name: 'three\n"3"' },
    { id: 4, name: 'four' },
    { id: 5, name: '5' },
  ])
})

test('an insert that cannot be parsed stores nothing and says why', async () => {
  await client.command({ query: 'CREATE TABLE picky (id UInt32) ENGINE = MergeTree ORDER BY id' })
  const failed = client.insert({ table: 'picky', values: [{ id: 1 }, { id: 'x' }], format: 'JSONEachRow' })
  await expect(failed).rejects.toBeInstanceOf(ClickHouseError)
  expect(await rows('SELECT count() AS n FROM picky')).toEqual([{ n: 0 }])
})

test('formats: JSON with its statistics, JSONEachRow, CSVWithNames', async () => {
  const query = 'SELECT number AS n FROM numbers(3)'
  const json = await (await client.query({ query, format: 'JSON' })).json()
  expect(json).toMatchObject({ data: [{ n: 0 }, { n: 1 }, { n: 2 }], rows: 3, statistics: { rows_read: 3 } })
  expect(await rows(query)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
  expect(await (await client.query({ query, format: 'CSVWithNames' })).text()).toBe('"n"\n0\n1\n2\n')
})

test('a large result comes in pieces and whole', async () => {
  const result = await client.query({
    query: "SELECT number AS n, repeat('x', 100) AS x FROM numbers(300000)",
    format: 'JSONEachRow',
  })
  let sum = 0
  for await (const batch of result.stream<{ n: number }>()) for (const row of batch) sum += row.json().n
  expect(sum).toBe((299_999 * 300_000) / 2)
})

test('an error after the first rows reaches the reader', async () => {
  const result = await client.query({
    query: 'SELECT throwIf(number = 300000) AS x FROM numbers(400000) SETTINGS max_threads = 1',
    format: 'JSONEachRow',
  })
  const read = async () => {
    for await (const _ of result.stream());
  }
  await expect(read()).rejects.toThrow(/throwIf/)
})

test('errors carry the code and the name of ClickHouse', async () => {
  await expect(client.query({ query: 'SELECT 1 FRO m' })).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' })
  await expect(client.query({ query: 'SELECT * FROM nowhere' })).rejects.toMatchObject({
    code: '60',
    type: 'UNKNOWN_TABLE',
  })
  await expect(rows('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '60' })
  await expect(rows('SELECT 1', { clickhouse_settings: { no_such_setting: 1 } })).rejects.toMatchObject({ code: '115' })
  await expect(
    rows('SELECT sleepEachRow(0.1) FROM numbers(100) SETTINGS max_block_size = 1', {
      clickhouse_settings: { max_execution_time: 1 },
    }),
  ).rejects.toMatchObject({ code: '159', type: 'TIMEOUT_EXCEEDED' })
})

test('neither a setting nor a parameter outlives its request', async () => {
  for (let i = 0; i < 20; i++) {
    await expect(
      rows('SELECT {x:String} AS x FROM numbers(5)', {
        query_params: { x: 'kept?' },
        clickhouse_settings: { max_result_rows: '2' },
      }),
    ).rejects.toMatchObject({ code: '396' })
    expect(await rows("SELECT getSetting('max_result_rows') AS rows FROM numbers(3) LIMIT 1")).toEqual([{ rows: 0 }])
    await expect(rows('SELECT {x:String} AS x')).rejects.toMatchObject({ code: '456' })
  }
})

test("the statement's own SETTINGS win over those of the request", async () => {
  const query = "SELECT getSetting('max_threads') AS a, getSetting('max_block_size') AS b SETTINGS max_threads = 1"
  expect(await rows(query, { clickhouse_settings: { max_threads: 2, max_block_size: '77' } })).toEqual([
    { a: 1, b: 77 },
  ])
})

test('USE and SET end with their request', async () => {
  for (let i = 0; i < 20; i++) {
    await client.command({ query: 'USE system' })
    await client.command({ query: 'SET max_threads = 1' })
    expect(await rows("SELECT currentDatabase() AS db, getSetting('max_block_size') AS block")).toMatchObject([
      { db: 'footfall' },
    ])
  }
})

test('parameters too long for a URL travel in the body', async () => {
  const { url, username, password } = server.server
  const long = createClient({
    url,
    username,
    password,
    database: server.embedded.database,
    use_multipart_params_auto: true,
  })
  const many = Array.from({ length: 20_000 }, (_, i) => `id-${i}-'\\`)
  const result = await long.query({
    query: 'SELECT length({ids:Array(String)}) AS n, {ids:Array(String)}[20000] AS last',
    query_params: { ids: many },
    format: 'JSONEachRow',
  })
  expect(await result.json()).toEqual([{ n: 20_000, last: many.at(-1) }])
  await long.close()
})

test('a read-only request cannot write or reach files, and the next one is not read-only', async () => {
  await client.command({ query: 'CREATE TABLE guarded (a UInt8) ENGINE = MergeTree ORDER BY a' })
  const clickhouse_settings = { readonly: '1' }
  for (let i = 0; i < 10; i++) {
    expect(await rows('SELECT {a:UInt8} AS a', { clickhouse_settings, query_params: { a: i } })).toEqual([{ a: i }])
    await expect(
      rows("SELECT * FROM file('/etc/passwd', 'LineAsString')", { clickhouse_settings }),
    ).rejects.toBeInstanceOf(ClickHouseError)
    await expect(client.command({ query: 'DROP TABLE guarded', clickhouse_settings })).rejects.toMatchObject({
      code: '164',
    })
    await client.command({ query: 'TRUNCATE TABLE guarded' })
  }
})

test('the summary tells what was read', async () => {
  const result = await client.query({ query: 'SELECT sum(number) AS s FROM numbers(5000)', format: 'JSON' })
  expect(JSON.parse(String(result.response_headers['x-clickhouse-summary']))).toMatchObject({
    read_rows: '5000',
    result_rows: '1',
  })
  await result.text()
})
