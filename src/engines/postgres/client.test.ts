import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../../../test/support/postgres.ts'
import { createLogger } from '../../lib/logger.ts'
import { openPostgres } from './client.ts'
import { isRetryable, isTroubleOfPostgres } from './retryable.ts'
import { inTransaction } from './transactions.ts'

const log = createLogger('silent')
let postgres: OwnPostgres

beforeAll(async () => {
  postgres = await startOwnPostgres()
  await postgres.sql`CREATE TABLE things (id bigint PRIMARY KEY, props jsonb, seen timestamptz, tags text[])`
})

afterAll(() => postgres.stop())

it('bigint is a number, timestamptz a Date, arrays are arrays', async () => {
  const seen = new Date('2024-02-29T12:34:56.789Z')
  await postgres.sql`INSERT INTO things ${postgres.sql({ id: 2 ** 40, props: { a: 1 }, seen, tags: ['x', 'y "z"'] })}`
  expect(await postgres.sql`SELECT * FROM things WHERE id = ${2 ** 40}`).toEqual([
    { id: 2 ** 40, props: { a: 1 }, seen, tags: ['x', 'y "z"'] },
  ])
})

const ODD_TEXTS = ['', 'null', 'NULL', '{}', ',', '"', '\\', '\\"', '\n\t"', '\u007f', '"é😀\\', '{"a":"\\n\\"b"}']

it('whatever texts and numbers an array holds, the server reads the same', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).map((any) => any.toWellFormed().replaceAll('\0', '')),
    fc.json({ noUnicodeString: false }).map((any) => any.toWellFormed()),
    fc.constantFrom(...ODD_TEXTS),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(text, { freq: 9 }), { maxLength: 20 }),
      fc.array(fc.option(fc.double().map((any) => any + 0))),
      fc.array(fc.uuid()),
      async (texts, numbers, uuids) => {
        const read = await postgres.sql`
          SELECT text, number, uuid
          FROM unnest(${texts}::text[], ${numbers}::float8[], ${uuids}::uuid[]) WITH ORDINALITY AS read (text, number, uuid, place)
          ORDER BY place`
        const longest = Math.max(texts.length, numbers.length, uuids.length)
        expect([...read]).toEqual(
          Array.from({ length: longest }, (_, i) => ({
            text: texts[i] ?? null,
            number: numbers[i] ?? null,
            uuid: uuids[i] ?? null,
          })),
        )
      },
    ),
    { examples: [[[...ODD_TEXTS], [], []]] },
  )
})

it('dates and lists of lists are written too, and nothing is not', async () => {
  const at = new Date('2024-02-29T12:34:56.789Z')
  const [read] = await postgres.sql`
    SELECT ${postgres.sql.array([at])}::timestamptz[] AS times, ${
      [
        ['a', '"'],
        ['c', '\\'],
      ] as never
    }::text[] AS lists`
  expect(read).toEqual({
    times: [at],
    lists: [
      ['a', '"'],
      ['c', '\\'],
    ],
  })
  await expect((async () => postgres.sql`SELECT ${['a', undefined] as never}::text[]`)()).rejects.toThrow(
    'UNDEFINED_VALUE',
  )
})

it('jsonb keeps the digits of huge integers, there and back', async () => {
  const [read] = await postgres.sql<[{ props: object }]>`SELECT '{"order": 12345678901234567890}'::jsonb AS props`
  await postgres.sql`INSERT INTO things ${postgres.sql({ id: 7, props: read.props as never })}`
  expect(
    await postgres.sql`SELECT props->>'order' AS digits, jsonb_typeof(props->'order') AS type FROM things WHERE id = 7`,
  ).toEqual([{ digits: '12345678901234567890', type: 'number' }])
})

it('opens a server by its URL too, and says so when nobody answers there', async () => {
  const { host, user, password } = postgres.embedded.connection
  const bySocket = `postgres://${user}:${password}@localhost/postgres?host=${encodeURIComponent(host)}`
  for (const url of [postgres.url, bySocket]) {
    const sql = await openPostgres({ url }, { log })
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
    await sql.end()
  }
  await expect(openPostgres({ url: 'postgres://footfall@127.0.0.1:1/postgres' }, { log })).rejects.toThrow(
    'ECONNREFUSED',
  )
})

it('a transaction that loses a deadlock is run again', async () => {
  await postgres.sql`INSERT INTO things (id) VALUES (101), (102)`
  let runs = 0
  let arrived = 0
  let open = () => {}
  const bothHoldOne = new Promise<void>((done) => {
    open = done
  })
  const lockInOrder = (first: number, second: number) =>
    inTransaction(postgres.sql, async (tx) => {
      runs += 1
      await tx`SELECT 1 FROM things WHERE id = ${first} FOR UPDATE`
      arrived += 1
      if (arrived === 2) open()
      await bothHoldOne
      await tx`SELECT 1 FROM things WHERE id = ${second} FOR UPDATE`
      return [first, second]
    })
  expect(await Promise.all([lockInOrder(101, 102), lockInOrder(102, 101)])).toEqual([
    [101, 102],
    [102, 101],
  ])
  // At least one of the two lost; the second try of the loser may meet the winner once more.
  expect(runs).toBeGreaterThanOrEqual(3)
})

it('a transaction whose client is silent for too long is ended with its locks, and run again', async () => {
  await postgres.sql`INSERT INTO things (id) VALUES (150)`
  const impatient = await openPostgres(postgres.embedded.connection, { log, idleInTransactionMs: 100 })
  const locked = (sql: Pick<typeof postgres, 'sql'>['sql']) => sql`SELECT id FROM things WHERE id = 150 FOR UPDATE`
  let runs = 0
  const work = inTransaction(impatient, async (tx) => {
    runs += 1
    await tx`SELECT id FROM things WHERE id = 150 FOR UPDATE`
    // Another gets the row only when the server has ended this one.
    if (runs === 1) await locked(postgres.sql)
    return tx`SELECT ${runs}::int AS run`
  })
  expect(await work).toEqual([{ run: 2 }])
  await impatient.end()
})

it('a session keeps its connection, and with it its locks, for hours', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const session = await postgres.sql.reserve()
  const connection = async () => (await session<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`)[0]?.pid
  const first = await connection()
  vi.advanceTimersByTime(2 * 3_600_000)
  expect(await connection()).toBe(first)
  session.release()
})

it('a statement that ran out of time is no fault of the statement', async () => {
  const failed = postgres.sql.begin(async (tx) => {
    await tx`SET LOCAL statement_timeout = 10`
    await tx`SELECT pg_sleep(600)`
  })
  const error: unknown = await failed.catch((reason: unknown) => reason)
  expect([isTroubleOfPostgres(error), isTroubleOfPostgres(new Error('another'))]).toEqual([true, false])
})

it('an error of the work itself rolls back and is not repeated', async () => {
  let runs = 0
  const work = inTransaction(postgres.sql, async (tx) => {
    runs += 1
    await tx`INSERT INTO things (id) VALUES (200)`
    throw new Error('mine')
  })
  await expect(work).rejects.toThrow('mine')
  expect(runs).toBe(1)
  expect(await postgres.sql`SELECT 1 FROM things WHERE id = 200`).toEqual([])
})

it('a savepoint undoes its part only', async () => {
  await postgres.sql.begin(async (tx) => {
    await tx`INSERT INTO things (id) VALUES (300)`
    await tx
      .savepoint(async (nested) => {
        await nested`INSERT INTO things (id) VALUES (301), (300)`
      })
      .catch(() => {})
    await tx`INSERT INTO things (id) VALUES (302)`
  })
  expect(await postgres.sql`SELECT id FROM things WHERE id BETWEEN 300 AND 310 ORDER BY id`).toEqual([
    { id: 300 },
    { id: 302 },
  ])
})

it('a transaction whose connection is lost rejects, and nothing it does afterwards happens', async () => {
  let resumed: Promise<unknown> = Promise.resolve()
  const lost = postgres.sql.begin(async (tx) => {
    await tx`INSERT INTO things (id) VALUES (400)`
    const [{ pid }] = await tx<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
    await postgres.sql`SELECT pg_terminate_backend(${pid})`
    await (async () => tx`SELECT 1`)().catch(() => {})
    resumed = (async () => tx`INSERT INTO things (id) VALUES (401)`)()
    await resumed
  })
  const error = await lost.catch((reason) => reason)
  expect(isRetryable(error)).toBe(true)
  // A statement that was under way when the connection went may never settle; it must not have happened.
  resumed.catch(() => {})
  expect(await postgres.sql`SELECT id FROM things WHERE id IN (400, 401)`).toEqual([])
})

it('lost transactions use up no connections: the pool serves as before, however many there were', async () => {
  for (let round = 0; round < 25; round++) {
    const lost = postgres.sql.begin(async (tx) => {
      const [{ pid }] = await tx<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
      const [{ others }] = await postgres.sql<[{ others: number }]>`SELECT pg_backend_pid() AS others`
      expect(others).not.toBe(pid)
      await postgres.sql`SELECT pg_terminate_backend(${pid})`
      await tx`SELECT 1`
    })
    await expect(lost).rejects.toThrow()
  }
  expect(await postgres.sql.begin(async (tx) => (await tx`SELECT 1 AS one`).length)).toBe(1)
})

it('a connection lost during the work is retried', async () => {
  let runs = 0
  const loseOnce = () =>
    inTransaction(postgres.sql, async (tx) => {
      runs += 1
      const [{ pid }] = await tx<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
      if (runs === 1) await postgres.sql`SELECT pg_terminate_backend(${pid})`
      await tx`SELECT 1`
      return runs
    })
  expect(await loseOnce()).toBe(2)
})

it('sessions are connections of their own: many at once, whatever the pool is doing, and gone when released', async () => {
  const sql = await openPostgres(postgres.embedded.connection, { log, max: 2 })
  const sessions = await Promise.all(Array.from({ length: 5 }, () => sql.reserve()))
  const pids = await Promise.all(
    sessions.map(async (session) => {
      const [first] = await session<
        [{ pid: number }]
      >`SELECT pg_backend_pid() AS pid, pg_advisory_lock(77001, pg_backend_pid())`
      const [second] = await session<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`
      expect(second.pid).toBe(first.pid)
      return first.pid
    }),
  )
  expect(new Set(pids).size).toBe(5)
  const held = () =>
    sql<[{ n: number }]>`SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND classid = 77001`
  expect((await held())[0].n).toBe(5)
  for (const session of sessions) session.release()
  await expect.poll(async () => (await held())[0].n).toBe(0)
  // The pool still has all of its connections.
  expect(await Promise.all([1, 2, 3, 4].map(async (n) => (await sql`SELECT ${n}::int AS n`)[0]?.n))).toEqual([
    1, 2, 3, 4,
  ])
  await sql.end()
})
