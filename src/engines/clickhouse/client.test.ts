import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../test/support/clickhouse.ts'
import { kill9, processTree } from '../../../test/support/process-tree.ts'
import { createLogger } from '../../lib/logger.ts'
import { openClickHouse } from './client.ts'
import { MutationFailure, type MutationProgress, mutate } from './mutations.ts'
import { float, ident, int, moment, sql, str, strings, uint, uuid } from './sql.ts'

const log = createLogger('silent')
let server: OwnClickHouse
beforeAll(async () => {
  server = await startOwnClickHouse()
  await server.clickhouse.command('CREATE TABLE notes (id UInt64, text String) ENGINE = MergeTree ORDER BY id')
})
afterAll(() => server?.stop())

test('values travel as parameters and come back as they were', async () => {
  const text = "it's\t\\a\nline; -- {p0:String}"
  const id = '0190d3a4-0000-7000-8000-000000000001'
  const { rows } = await server.clickhouse.query(
    sql`SELECT ${str(text)} AS text, ${strings(['a', "b'"])} AS list, ${uint(5)} AS n, ${int(-5)} AS i, ${float(0.1)} AS f, ${uuid(id)} AS id, ${moment(1_700_000_000_123)} AS at`,
  )
  expect(rows).toEqual([{ text, list: ['a', "b'"], n: 5, i: -5, f: 0.1, id, at: '2023-11-14 22:13:20.123' }])
})

test('a result says what it cost; large integers keep their digits; NaN is null', async () => {
  const { rows, readRows, elapsedMs } = await server.clickhouse.query(
    sql`SELECT max(number) AS m, toUInt64(18446744073709551615) AS big, nan AS nothing FROM numbers(1000)`,
  )
  expect(rows).toEqual([{ m: 999, big: '18446744073709551615', nothing: null }])
  expect(readRows).toBe(1_000)
  expect(elapsedMs).toBeGreaterThan(0)
})

test('rows are inserted as lines, counted, and streamed back', async () => {
  const lines = Array.from({ length: 3_000 }, (_, id) => JSON.stringify({ id, text: `é${id}` }))
  expect(await server.clickhouse.insert('notes', Buffer.from(lines.join('\n')))).toBe(3_000)
  expect(await server.clickhouse.insert('notes', '')).toBe(0)
  const ids: number[] = []
  for await (const row of server.clickhouse.stream<{ id: number }>(sql`SELECT id FROM notes ORDER BY id`))
    ids.push(row.id)
  expect(ids).toEqual(lines.map((_, id) => id))
})

test('rows travel in the binary form of the engine, and a result that breaks off is no result', async () => {
  const { clickhouse } = server
  await clickhouse.command('CREATE TABLE from_here (id UInt64, props JSON) ENGINE = MergeTree ORDER BY id')
  await clickhouse.command('CREATE TABLE to_there AS from_here')
  const lines = Array.from({ length: 3_000 }, (_, id) =>
    JSON.stringify({ id, props: { 'a.b': `é${id}`, [`k${id % 5}`]: 'x' } }),
  )
  await clickhouse.insert('from_here', lines.join('\n'))
  await clickhouse.insertNative('to_there', clickhouse.native(sql`SELECT * FROM from_here`))
  const contents = async (table: string) =>
    (
      await clickhouse.query(
        sql`SELECT count() AS n, sum(cityHash64(id, toString(props))) AS hash FROM ${ident(table)}`,
      )
    ).rows
  expect(await contents('to_there')).toEqual(await contents('from_here'))

  const broken = sql`SELECT throwIf(number = 5000000, 'half-way') FROM numbers(6000000)`
  const read = async () => {
    for await (const _ of clickhouse.native(broken, { settings: { max_block_size: 1_000, max_threads: 1 } }));
  }
  await expect(read()).rejects.toMatchObject({
    name: 'ClickHouseFailure',
    message: expect.stringContaining('half-way'),
  })
})

test('failures say what kind they are', async () => {
  const { clickhouse } = server
  await expect(clickhouse.query(sql`SELECT nope FROM notes`)).rejects.toMatchObject({ code: 47, kind: 'bad_query' })
  await expect(clickhouse.command('DROP TABLE nothing')).rejects.toMatchObject({ code: 60, kind: 'bad_query' })
  await expect(clickhouse.insert('notes', '{"id":"x"}')).rejects.toMatchObject({ name: 'ClickHouseFailure' })
  const failing = async () => {
    for await (const _ of clickhouse.stream(sql`SELECT throwIf(number = 300000) AS x FROM numbers(400000)`));
  }
  await expect(failing()).rejects.toMatchObject({ code: 395, kind: 'other' })
})

test('nobody at the address is a failure of kind unavailable', async () => {
  const nobody = openClickHouse({ url: 'http://user:secret@127.0.0.1:1/things', log })
  expect(nobody.database).toBe('things')
  expect(await nobody.ping()).toBe(false)
  await expect(nobody.query(sql`SELECT 1`)).rejects.toMatchObject({ code: 0, kind: 'unavailable' })
  await nobody.close()
})

test('user, password and database may stand in the address', async () => {
  const clickhouse = openClickHouse({ url: server.server.address('footfall'), log })
  expect((await clickhouse.query(sql`SELECT currentDatabase() AS db`)).rows).toEqual([{ db: 'footfall' }])
  await clickhouse.close()
})

test('a change whose caller ended is followed by the next one, also over the death of the engine, and made once', async () => {
  const { clickhouse, embedded } = server
  await clickhouse.command('CREATE TABLE changed (id UInt64) ENGINE = MergeTree ORDER BY id')
  await clickhouse.insert('changed', '{"id":1}\n{"id":2}\n{"id":3}')
  await clickhouse.command('SYSTEM STOP MERGES changed')
  const change = {
    table: 'changed',
    change: sql`DELETE`,
    where: sql`id IN (SELECT id FROM changed WHERE id > ${uint(1)})`,
  }
  const leaving = new AbortController()
  const told: MutationProgress[] = []
  const onProgress = async (progress: MutationProgress) => {
    told.push(progress)
    leaving.abort()
  }
  await expect(mutate(clickhouse, change, { signal: leaving.signal, onProgress })).rejects.toThrow('aborted')
  await expect(mutate(clickhouse, change, { withinMs: 0 })).rejects.toMatchObject({ kind: 'unavailable' })
  expect(told).toEqual([{ table: 'changed', parts: 1, partsLeft: 1, serversLeft: 1 }])

  const following = mutate(clickhouse, change, {
    onProgress: async () => {
      kill9(processTree(embedded.pid ?? 0))
    },
  })
  await following
  const { rows } = await clickhouse.query(sql`
    SELECT (SELECT groupArray(id) FROM changed) AS ids, count() AS changes, min(is_done) AS done
    FROM system.mutations WHERE table = 'changed'`)
  expect(rows).toEqual([{ ids: [1], changes: 1, done: 1 }])
})

test('a change that ClickHouse cannot make fails with its reason', async () => {
  const { clickhouse } = server
  await clickhouse.command('CREATE TABLE kept (id UInt64) ENGINE = MergeTree ORDER BY tuple()')
  await clickhouse.insert('kept', '{"id":1}')
  const change = { table: 'kept', change: sql`UPDATE id = throwIf(id = 1, 'there is no disk')`, where: sql`1` }
  for (const _ of ['started', 'followed']) {
    const failure = await mutate(clickhouse, change).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(MutationFailure)
    expect(String(failure)).toMatch(/cannot change kept, and tries again: .*there is no disk/)
  }
  expect(
    (await clickhouse.query(sql`SELECT mutation_id FROM system.mutations WHERE table = 'kept'`)).rows,
  ).toHaveLength(1)
  await clickhouse.command('DROP TABLE kept SYNC')
})
