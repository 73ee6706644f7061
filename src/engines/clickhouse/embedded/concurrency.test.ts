import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../../test/support/clickhouse.ts'
import { sql, str } from '../sql.ts'
import { READERS } from './engine-config.ts'

let house: OwnClickHouse
beforeAll(async () => {
  house = await startOwnClickHouse()
  await house.clickhouse.command('CREATE TABLE notes (a String) ENGINE = MergeTree ORDER BY a')
})
afterAll(() => house?.stop())

/** Runs until it is cancelled, or five minutes. */
const ENDLESS = sql`SELECT sum(sleepEachRow(0.1)) AS s FROM numbers(3000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`

const runningNow = async () =>
  (
    await house.clickhouse.query<{ n: number }>(
      sql`SELECT count() AS n FROM system.processes WHERE query ILIKE ${str('%sleepEachRow%')} AND query NOT ILIKE '%system.processes%'`,
    )
  ).rows[0]?.n

const untilRunning = (count: number) => expect.poll(runningNow, { timeout: 60_000 }).toBe(count)

test('a heavy read delays neither a small read nor an insert', async () => {
  const order: string[] = []
  const stop = new AbortController()
  const heavy = house.clickhouse.query(ENDLESS, { signal: stop.signal }).then(
    () => order.push('heavy'),
    () => order.push('cancelled'),
  )
  await untilRunning(1)
  await house.clickhouse.query(sql`SELECT 1`).then(() => order.push('small'))
  await house.clickhouse.insert('notes', '{"a":"beside"}').then(() => order.push('insert'))
  stop.abort()
  await heavy
  expect(order).toEqual(['small', 'insert', 'cancelled'])
})

test('a caller who leaves frees his reader, also from the queue', async () => {
  const stop = new AbortController()
  const many = Array.from({ length: READERS * 2 }, () => house.clickhouse.query(ENDLESS, { signal: stop.signal }))
  const outcomes = Promise.allSettled(many)
  stop.abort()
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 394, kind: 'other' } })
  // Every reader must be free again for as many queries to run at once.
  const again = new AbortController()
  const filling = Promise.allSettled(
    Array.from({ length: READERS - 1 }, () => house.clickhouse.query(ENDLESS, { signal: again.signal })),
  )
  await untilRunning(READERS - 1)
  again.abort()
  await filling
  await untilRunning(0)
})

test('a query is cancelled by the id its caller gave it', async () => {
  const queryId = randomUUID()
  const query = house.clickhouse.query(ENDLESS, { queryId })
  const refused = expect(query).rejects.toMatchObject({ code: 394, kind: 'other' })
  await untilRunning(1)
  await house.clickhouse.cancel(queryId)
  await refused
  await untilRunning(0)
})

test('leaving a stream half-way ends its query', async () => {
  for await (const _ of house.clickhouse.stream(
    sql`SELECT number, sleepEachRow(0.001) AS s FROM numbers(100000) SETTINGS max_block_size = 10`,
  ))
    break
  await untilRunning(0)
})

test('a query over its memory or time is refused as too heavy, and the engine lives on', async () => {
  const greedy = house.clickhouse.query(sql`SELECT groupArray(toString(number)) AS a FROM numbers(10000000)`, {
    settings: { max_memory_usage: 20_000_000 },
  })
  await expect(greedy).rejects.toMatchObject({ code: 241, kind: 'too_heavy' })
  await expect(house.clickhouse.query(ENDLESS, { maxSeconds: 1 })).rejects.toMatchObject({
    code: 159,
    kind: 'too_heavy',
  })
  expect(house.embedded.restarts).toBe(0)
})
