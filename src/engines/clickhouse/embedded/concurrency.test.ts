import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnClickHouse, startOwnClickHouse } from '../../../../test/support/clickhouse.ts'
import { MINUTE } from '../../../lib/durations.ts'
import { createLogger } from '../../../lib/logger.ts'
import { pause } from '../../../lib/pause.ts'
import { openClickHouse } from '../client.ts'
import { questionCounts, questionsOf } from '../questions.ts'
import { sql, str, uint } from '../sql.ts'
import {
  QUESTION_READERS,
  QUESTIONS_OF_ONE_ORGANIZATION,
  QUESTIONS_OF_ONE_PROJECT,
  READERS,
} from './config/engine-config.ts'

let server: OwnClickHouse
beforeAll(async () => {
  server = await startOwnClickHouse()
  await server.clickhouse.command('CREATE TABLE notes (a String) ENGINE = MergeTree ORDER BY a')
})
afterAll(() => server?.stop())

/** Runs until it is cancelled, or five minutes. */
/** Longer than a poll waits: what has ended was ended. */
const UNHURRIED = { maxSeconds: 3_000 }
const ENDLESS = sql`SELECT sum(sleepEachRow(0.1)) AS s FROM numbers(30000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`

const runningNow = async () =>
  (
    await server.clickhouse.query<{ n: number }>(
      sql`SELECT count() AS n FROM system.processes WHERE query ILIKE ${str('%sleepEachRow%')} AND query NOT ILIKE '%system.processes%'`,
    )
  ).rows[0]?.n

const untilRunning = (count: number) => expect.poll(runningNow).toBe(count)

test('a heavy read delays neither a small read nor an insert', async () => {
  const order: string[] = []
  const stop = new AbortController()
  const heavy = server.clickhouse.query(ENDLESS, { ...UNHURRIED, signal: stop.signal }).then(
    () => order.push('heavy'),
    () => order.push('cancelled'),
  )
  await untilRunning(1)
  await server.clickhouse.query(sql`SELECT 1`).then(() => order.push('small'))
  await server.clickhouse.insert('notes', '{"a":"beside"}').then(() => order.push('insert'))
  stop.abort()
  await heavy
  expect(order).toEqual(['small', 'insert', 'cancelled'])
})

test('a caller who leaves frees his reader, also from the queue', async () => {
  const stop = new AbortController()
  const many = Array.from({ length: READERS * 2 }, () =>
    server.clickhouse.query(ENDLESS, { ...UNHURRIED, signal: stop.signal }),
  )
  const outcomes = Promise.allSettled(many)
  stop.abort()
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 394, kind: 'other' } })
  // Every reader must be free again for as many queries to run at once.
  const again = new AbortController()
  const filling = Promise.allSettled(
    Array.from({ length: READERS - 1 }, () => server.clickhouse.query(ENDLESS, { ...UNHURRIED, signal: again.signal })),
  )
  await untilRunning(READERS - 1)
  again.abort()
  await filling
  await untilRunning(0)
})

test('a query is cancelled by the id its caller gave it', async () => {
  const queryId = randomUUID()
  const query = server.clickhouse.query(ENDLESS, { ...UNHURRIED, queryId })
  const refused = expect(query).rejects.toMatchObject({ code: 394, kind: 'other' })
  await untilRunning(1)
  await server.clickhouse.cancel(queryId)
  await refused
  await untilRunning(0)
})

test('leaving a stream half-way ends its query', async () => {
  for await (const _ of server.clickhouse.stream(
    sql`SELECT number, sleepEachRow(0.001) AS s FROM numbers(3000000) SETTINGS max_block_size = 10`,
    UNHURRIED,
  ))
    break
  await untilRunning(0)
})

test('a query over its memory or time is refused as too heavy, and the engine lives on', async () => {
  const greedy = server.clickhouse.query(sql`SELECT groupArray(toString(number)) AS a FROM numbers(10000000)`, {
    settings: { max_memory_usage: 20_000_000 },
  })
  await expect(greedy).rejects.toMatchObject({ code: 241, kind: 'too_heavy' })
  await expect(server.clickhouse.query(ENDLESS, { maxSeconds: 1 })).rejects.toMatchObject({
    code: 159,
    kind: 'too_heavy',
  })
  expect(server.embedded.restarts).toBe(0)
})

test('neither a project nor its organisation can hold all readers, and the service has readers of its own', async () => {
  const stop = new AbortController()
  const project = (id: number, organization_id: string) => questionsOf(server.clickhouse, { id, organization_id })
  const [one, two, other] = [project(1, 'acme'), project(2, 'acme'), project(3, 'other')]
  const greedy = Promise.allSettled(
    Array.from({ length: QUESTION_READERS * 2 }, () => one.query(ENDLESS, { ...UNHURRIED, signal: stop.signal })),
  )
  await untilRunning(QUESTIONS_OF_ONE_PROJECT)
  expect((await two.query(sql`SELECT 1 AS a`)).rows).toEqual([{ a: 1 }])
  const asked = [two, two].map((asker) => asker.query(ENDLESS, { ...UNHURRIED, signal: stop.signal }).catch(() => {}))
  await untilRunning(QUESTIONS_OF_ONE_ORGANIZATION)
  expect((await other.query(sql`SELECT 1 AS a`)).rows).toEqual([{ a: 1 }])
  asked.push(other.query(ENDLESS, { ...UNHURRIED, signal: stop.signal }).catch(() => {}))
  await untilRunning(QUESTION_READERS)
  expect(questionCounts(server.clickhouse)).toMatchObject({ running: QUESTION_READERS, askers: 3 })
  expect((await server.clickhouse.query(sql`SELECT 1 AS a`)).rows).toEqual([{ a: 1 }])
  stop.abort()
  await Promise.all([greedy, ...asked])
  await untilRunning(0)
})

test('a question that does not stop when told to is ended with the engine, and nobody else notices', async () => {
  const deaf = sql`SELECT hasAll(range(400000), arrayMap(x -> x + ${uint(1)}, range(400000)))`
  const { url, socket, username, secretFile, database } = server.embedded
  const whenBack = () => server.embedded.whenReady()
  const patient = openClickHouse({
    url,
    socket,
    username,
    secretFile,
    database,
    whenBack,
    // As long as a busy machine needs.
    backWithinMs: 10 * MINUTE,
    log: createLogger('silent'),
  })
  const ending = questionsOf(patient, { id: 1, organization_id: 'acme' }).query(deaf, { maxSeconds: 1 })
  const refused = expect(ending).rejects.toMatchObject({ code: 159, kind: 'too_heavy' })
  const other = questionsOf(patient, { id: 2, organization_id: 'acme' })
  const before = server.embedded.restarts
  for (let asked = 0; asked < 10_000 && server.embedded.restarts === before; asked++) {
    expect((await other.query(sql`SELECT 1 AS a`)).rows).toEqual([{ a: 1 }])
    await pause(20)
  }
  await refused
  expect(server.embedded.restarts).toBe(before + 1)
  expect((await other.query(sql`SELECT 1 AS a`)).rows).toEqual([{ a: 1 }])
  await patient.close()
})
