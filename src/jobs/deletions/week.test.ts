import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { anEvent, batch, newProject } from '../../../test/support/identity.ts'
import { seedEvents } from '../../../test/support/insights/seed.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { type ClickHouse, sql as ch, uint } from '../../engines/clickhouse/index.ts'
import { inTransaction, openPostgres } from '../../engines/postgres/index.ts'
import { deletePersons } from '../../identity/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { startJobs } from '../jobs.ts'
import { listDeletions, requestDeletion } from './queue.ts'
import { runDeletions } from './run.ts'

/** The real jobs over the turn of a week, in two processes that share the engines, with a clock that the test sets. */
let postgres: TestPostgres
let engine: TestClickHouse
let project: number
let requester: { id: number; email: string }

beforeAll(async () => {
  ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  project = await newProject(postgres.sql)
  const [user] = await postgres.sql<[{ id: number; email: string }]>`
    INSERT INTO users (email) VALUES ('owner@example.com') RETURNING id, email`
  requester = user
})
afterAll(() => Promise.all([postgres?.stop(), engine?.stop()]))

let now = new Date()
let looks = 0

/** With connections of its own, as a process has them. */
async function startProcess(clickhouse: ClickHouse = engine.clickhouse) {
  const log = createLogger('silent')
  const sql = await openPostgres(postgres.embedded.connection, { log })
  const clock = async () => {
    looks++
    return now
  }
  const jobs = await startJobs({ sql, clickhouse, log, queues: [], clock })
  return {
    stop: async () => {
      await jobs.stop()
      await sql.end({ timeout: 1 })
    },
  }
}

/** Sets the clock; returns when every process has looked at it a few times. */
async function itIs(time: string): Promise<void> {
  now = new Date(time)
  const before = looks
  await expect.poll(() => looks).toBeGreaterThanOrEqual(before + 6)
}

async function deleteWithEvents(distinctId: string, events: number, of = project): Promise<void> {
  await batch(postgres.sql, [anEvent(of, 'x', distinctId)])
  await seedEvents(
    engine.clickhouse,
    of,
    Array.from({ length: events }, () => ({ event: 'x', distinctId, at: '2026-11-01T00:00:00Z' })),
  )
  await inTransaction(postgres.sql, async (tx) => {
    const { deleted } = await deletePersons(tx, of, { distinctIds: [distinctId] })
    for (const { uuid: personUuid, formerUuids, everyDistinctId: distinctIds } of deleted)
      await requestDeletion(
        tx,
        {
          project: of,
          personUuid,
          formerUuids,
          distinctIds,
          deleteEvents: true,
          deleteRecordings: false,
          requestedBy: requester,
        },
        now,
      )
  })
}

const receipts = async () => (await listDeletions(postgres.sql, { project })).deletions.toReversed()
const eventsLeft = async () =>
  Number(
    (
      await engine.clickhouse.query<{ n: number }>(
        ch`SELECT count() AS n FROM events WHERE project_id = ${uint(project)}`,
      )
    ).rows[0]?.n,
  )
/** How often the events table was rewritten to erase something. */
const erasures = async () =>
  Number(
    (
      await engine.clickhouse.query<{ n: number }>(
        ch`SELECT count() AS n FROM system.mutations
          WHERE database = currentDatabase() AND table IN ('events', 'events_rows') AND command LIKE '%DELETE%'`,
      )
    ).rows[0]?.n,
  )
const isDone = async () => (await receipts()).every(({ status }) => status === 'done')
const nextRun = async () => {
  const [job] = await postgres.sql`SELECT next_run_at, last_error FROM scheduled_jobs WHERE name = 'deletions'`
  return job
}

it('runs on Sunday at five, once, and makes up for Sundays when nobody was there', async () => {
  now = new Date('2026-11-14T23:59:30Z')
  const processes = await Promise.all([startProcess(), startProcess()])
  await deleteWithEvents('saturday', 3)
  expect(await receipts()).toMatchObject([{ status: 'pending', scheduledFor: new Date('2026-11-15T05:00:00Z') }])
  await itIs('2026-11-15T00:00:00Z')
  await itIs('2026-11-15T04:59:59.999Z')
  expect([await erasures(), await eventsLeft()]).toEqual([0, 3])

  await itIs('2026-11-15T05:00:00Z')
  await expect.poll(isDone).toBe(true)
  await expect.poll(async () => (await nextRun())?.next_run_at).toEqual(new Date('2026-11-22T05:00:00Z'))
  await itIs('2026-11-15T05:00:10Z')
  expect([await erasures(), await eventsLeft()]).toEqual([1, 0])
  expect(await receipts()).toMatchObject([
    { status: 'done', eventsDeleted: 3, verified: true, requestedByEmail: 'owner@example.com', error: null },
  ])

  await deleteWithEvents('sunday, after the run', 2)
  await Promise.all(processes.map((process) => process.stop()))
  now = new Date('2026-12-09T12:00:00Z')
  expect(await eventsLeft()).toBe(2)
  const afterwards = await Promise.all([startProcess(), startProcess()])
  await expect.poll(isDone).toBe(true)
  await expect.poll(async () => (await nextRun())?.next_run_at).toEqual(new Date('2026-12-13T05:00:00Z'))
  await itIs('2026-12-09T12:00:10Z')
  await Promise.all(afterwards.map((process) => process.stop()))
  expect([await erasures(), await eventsLeft()]).toEqual([2, 0])
  expect((await receipts())[1]).toMatchObject({ status: 'done', eventsDeleted: 2, verified: true })
})

it('tries again soon when ClickHouse was away, and takes events that arrive after their deletion with the next run', async () => {
  now = new Date('2026-12-12T12:00:00Z')
  await deleteWithEvents('unlucky', 4)
  let away = true
  const process = await startProcess({
    ...engine.clickhouse,
    query: (...args) => (away ? Promise.reject(new Error('connect ECONNREFUSED')) : engine.clickhouse.query(...args)),
  })
  now = new Date('2026-12-13T05:00:00Z')
  await expect.poll(async () => (await nextRun())?.last_error).toMatch('ECONNREFUSED')
  expect((await nextRun())?.next_run_at).toEqual(new Date('2026-12-13T05:10:00Z'))
  away = false
  now = new Date('2026-12-13T05:10:00Z')
  await expect.poll(isDone).toBe(true)

  await seedEvents(engine.clickhouse, project, [{ event: 'late', distinctId: 'unlucky', at: '2026-12-01T00:00:00Z' }])
  await expect.poll(async () => (await nextRun())?.next_run_at).toEqual(new Date('2026-12-20T05:00:00Z'))
  now = new Date('2026-12-20T05:00:00Z')
  await expect.poll(eventsLeft).toBe(0)
  await expect.poll(async () => (await receipts())[2]).toMatchObject({ eventsDeleted: 5 })
  await process.stop()
})

it('goes on with the requests of others when one cannot be done', async () => {
  now = new Date('2027-01-02T12:00:00Z')
  const [hard, easy] = [await newProject(postgres.sql), await newProject(postgres.sql)]
  for (const [who, of] of [
    ['one', hard],
    ['two', hard],
    ['three', easy],
  ] as const)
    await deleteWithEvents(who, 1, of)
  const refusing: ClickHouse = {
    ...engine.clickhouse,
    query: (...args) =>
      new RegExp(`"value":"?${hard}"?[,}]`).test(JSON.stringify(args[0]))
        ? Promise.reject(new Error('Field value too long'))
        : engine.clickhouse.query(...args),
  }
  const context = { sql: postgres.sql, clickhouse: refusing, log: createLogger('silent') }
  const { done, failed } = await runDeletions(context, null)
  expect([done.length, failed.length]).toEqual([1, 2])
  const of = async (id: number) => (await listDeletions(postgres.sql, { project: id })).deletions
  expect(await of(easy)).toMatchObject([{ status: 'done', verified: true }])
  const pending = { status: 'pending', error: 'Field value too long' }
  expect(await of(hard)).toMatchObject([pending, pending])
})
