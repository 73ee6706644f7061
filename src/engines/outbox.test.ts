import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { dequeue, enqueue, flushQueue, pending } from './outbox.ts'

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startTestPostgres()
})

afterAll(() => postgres.stop())

beforeEach(async () => {
  await postgres.sql`TRUNCATE clickhouse_outbox, pipeline_positions`
})

const insert = (token: string, rows = `{"token":"${token}"}\n`) => ({ table: 'events', token, rows: Buffer.from(rows) })

/** Takes rows under one token once, as ClickHouse does. */
function clickhouse(failOn?: string) {
  const taken = new Map<string, string>()
  const calls: string[] = []
  return {
    taken,
    calls,
    insert: async (table: string, rows: Buffer, { token }: { token: string }) => {
      calls.push(token)
      if (token === failOn) throw new Error('ClickHouse is down')
      if (!taken.has(token)) taken.set(token, `${table}:${rows}`)
    },
  }
}

const commit = (queue: string, ...tokens: string[]) =>
  postgres.sql.begin((tx) =>
    enqueue(
      tx,
      queue,
      tokens.map((token) => insert(token)),
    ),
  )

it('an insert is enqueued only if its transaction commits', async () => {
  await postgres.sql
    .begin(async (tx) => {
      await enqueue(tx, 'queue', [insert('a')])
      throw new Error('rolled back')
    })
    .catch(() => {})
  expect(await pending(postgres.sql, 'queue')).toEqual([])
  const ids = await commit('queue', 'b', 'c')
  expect((await pending(postgres.sql, 'queue')).map(({ id, token }) => [id, token])).toEqual([
    [ids[0], 'b'],
    [ids[1], 'c'],
  ])
})

it('rows come back byte for byte', async () => {
  const rows = Buffer.concat([Buffer.from(`{"name":"Ä${'x'.repeat(300_000)}"}\n`), Buffer.from([0, 255, 128])])
  await postgres.sql.begin((tx) => enqueue(tx, 'queue', [{ table: 'events', token: 't', rows }]))
  expect((await pending(postgres.sql, 'queue'))[0]?.rows.equals(rows)).toBe(true)
})

it('what was committed but not sent before a crash is sent later under its token, once', async () => {
  await commit('queue', 'a', 'b')
  const server = clickhouse()
  // The crash came after the first was taken and before it was settled.
  await server.insert('events', insert('a').rows, { token: 'a' })
  expect(await flushQueue({ sql: postgres.sql, clickhouse: server, queue: 'queue' })).toBe(2)
  expect(server.calls).toEqual(['a', 'a', 'b'])
  expect([...server.taken]).toEqual([
    ['a', 'events:{"token":"a"}\n'],
    ['b', 'events:{"token":"b"}\n'],
  ])
  expect(await pending(postgres.sql, 'queue')).toEqual([])
})

it('a failed insert stops its queue, keeps it and all after it, and touches no other queue', async () => {
  await commit('queue', 'a', 'b', 'c')
  await commit('other', 'x')
  await expect(flushQueue({ sql: postgres.sql, clickhouse: clickhouse('b'), queue: 'queue' })).rejects.toThrow('down')
  expect((await pending(postgres.sql, 'queue')).map(({ token }) => token)).toEqual(['b', 'c'])
  expect(await pending(postgres.sql, 'other')).toHaveLength(1)
})

it('a queue longer than a page is flushed in order to its end', async () => {
  const tokens = Array.from({ length: 50 }, (_, n) => `t${n}`)
  await commit('queue', ...tokens)
  const server = clickhouse()
  expect(await flushQueue({ sql: postgres.sql, clickhouse: server, queue: 'queue' })).toBe(50)
  expect(server.calls).toEqual(tokens)
})

it('settled promises are gone, and settling nothing or twice is fine', async () => {
  const ids = await commit('queue', 'a')
  await dequeue(postgres.sql, ids)
  await dequeue(postgres.sql, ids)
  await dequeue(postgres.sql, [])
  expect(await pending(postgres.sql, 'queue')).toEqual([])
})
