import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { EVENT_COLUMNS, type EventRow, eventRowsAsBinary } from '../../events/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { noteUsage } from './note-usage.ts'
import { findChange, removeChange, rescheduleChange, runScheduledChanges, scheduleChange } from './scheduled-changes.ts'

const log = createLogger('silent')
let postgres: TestPostgres
let engine: TestClickHouse
beforeAll(async () => {
  ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
  await applyProvisioning(postgres.sql, {
    organization: { name: 'Test' },
    projects: [1, 2, 3].map((id) => ({ id, name: `${id}`, api_token: `phc_${id}`, timezone: 'UTC' })),
    users: [],
  })
  await postgres.sql`
    INSERT INTO feature_flags (project_id, key, filters)
    SELECT project, 'beta', '{"groups":[]}' FROM unnest(ARRAY[1, 2, 3]) AS project`
})
afterAll(() => Promise.all([postgres?.stop(), engine?.stop()]))

const called = (projectId: number, flag: unknown): EventRow => ({
  projectId,
  uuid: uuidV7(),
  event: '$feature_flag_called',
  timestamp: Date.now(),
  receivedAt: Date.now(),
  distinctId: 'ada',
  personId: uuidV7(),
  personMode: 'full',
  personCreatedAt: Date.now(),
  sessionId: '',
  groups: [],
  elementsChain: '',
  properties: { $feature_flag: flag as string },
  personProperties: {},
})

test('names of flags that nobody has, or that PostgreSQL cannot store, do not hide when the others were called', async () => {
  const made = Array.from({ length: 100 }, (_, n) => called(2, `no flag ${n}`))
  const rows = [called(1, 'beta'), called(2, 'be\0ta'), called(2, { toString: 1 }), ...made, called(3, 'beta')]
  const bytes = eventRowsAsBinary(rows, { inSessions: false })
  await engine.clickhouse.insert('events', bytes, { binaryColumns: EVENT_COLUMNS })
  await noteUsage({ sql: postgres.sql, clickhouse: engine.clickhouse, log })
  const noted = await postgres.sql`
    SELECT f.project_id FROM feature_flag_usage JOIN feature_flags f ON f.id = flag_id ORDER BY 1`
  expect(noted.map(({ project_id }) => project_id)).toEqual([1, 3])
})

test('a scheduled change that cannot be made does not keep the others from being made', async () => {
  const { sql } = postgres
  const flags = await sql<{ id: number; project_id: number }[]>`SELECT id, project_id FROM feature_flags ORDER BY id`
  const [one, two] = flags.map(({ id }) => String(id))
  await sql`
    INSERT INTO scheduled_changes (project_id, record_id, payload, scheduled_at) VALUES
      (1, ${one as string}, 'null', now() - interval '3 minutes'),
      (1, '0', '{"operation":"update_status","value":false}', now() - interval '2 minutes'),
      (2, ${two as string}, '{"operation":"update_status","value":false}', now() - interval '1 minute')`
  expect(await runScheduledChanges({ sql, log }, new Date())).toBe(3)
  const made = await sql`SELECT executed_at IS NOT NULL AS done, failure_reason FROM scheduled_changes ORDER BY id`
  expect(made).toEqual([
    { done: true, failure_reason: 'It could not be made: see the log.' },
    { done: true, failure_reason: 'The flag does not exist.' },
    { done: true, failure_reason: null },
  ])
  const active = await sql`SELECT active FROM feature_flags ORDER BY id`
  expect(active.map(({ active }) => active)).toEqual([true, false, true])
  expect(await runScheduledChanges({ sql, log }, new Date())).toBe(0)
})

/** A change of the flag of project 3 that recurs, and what is stored of it after the job has run at a time. */
async function recurring(first: string, more: { recurrence_interval?: 'monthly' | 'weekly'; end_date?: Date } = {}) {
  const { sql } = postgres
  const [flag] = await sql<[{ id: number }]>`SELECT id FROM feature_flags WHERE project_id = 3`
  const fields = {
    payload: { operation: 'update_status', value: false },
    scheduled_at: new Date(first),
    is_recurring: true,
    recurrence_interval: 'monthly',
    end_date: null,
    ...more,
  } as const
  const [user] = await sql<[{ id: number }]>`
    INSERT INTO users (email) VALUES (gen_random_uuid() || '@example.com') RETURNING id`
  const { id } = await scheduleChange(sql, { project: 3, userId: user.id, recordId: String(flag.id) }, fields)
  return {
    flag: flag.id,
    at: async (now: string) => {
      await runScheduledChanges({ sql, log }, new Date(now))
      const change = await findChange(sql, 3, String(id))
      if (!change) throw new Error('the change is gone')
      const { scheduled_at, executed_at, failure_reason, last_executed_at } = change
      return { next: scheduled_at.toISOString(), executed_at, failure_reason, last: last_executed_at?.toISOString() }
    },
    edit: (changes: Partial<Parameters<typeof rescheduleChange>[2]>) =>
      rescheduleChange(sql, id, { ...fields, ...changes }),
    remove: () => removeChange(sql, id),
  }
}

test('a recurring change that could not be made once is made at its next time, until its end', async () => {
  const { sql } = postgres
  const change = await recurring('2026-01-10T08:00:00.000Z', { end_date: new Date('2026-03-20T00:00:00Z') })
  const setDeleted = (deleted: boolean) =>
    sql`UPDATE feature_flags SET deleted = ${deleted}, active = true WHERE id = ${change.flag}`
  await setDeleted(true)
  expect(await change.at('2026-01-10T08:00:01.000Z')).toEqual({
    next: '2026-02-10T08:00:00.000Z',
    executed_at: null,
    failure_reason: 'The flag has been deleted.',
    last: '2026-01-10T08:00:01.000Z',
  })
  await setDeleted(false)
  expect(await change.at('2026-02-10T08:00:01.000Z')).toMatchObject({
    next: '2026-03-10T08:00:00.000Z',
    executed_at: null,
    failure_reason: null,
  })
  expect(await sql`SELECT active FROM feature_flags WHERE id = ${change.flag}`).toEqual([{ active: false }])
  await setDeleted(true)
  expect(await change.at('2026-03-10T08:00:01.000Z')).toMatchObject({
    executed_at: new Date('2026-03-10T08:00:01.000Z'),
    failure_reason: 'The flag has been deleted.',
  })
  await setDeleted(false)
})

test('a monthly change of the 31st is made on the last day of shorter months, and on the 31st again', async () => {
  const change = await recurring('2026-01-31T08:00:00.000Z')
  for (const [now, next] of [
    ['2026-01-31', '2026-02-28'],
    ['2026-02-28', '2026-03-31'],
    ['2026-03-31', '2026-04-30'],
  ])
    expect((await change.at(`${now}T08:00:01.000Z`)).next).toBe(`${next}T08:00:00.000Z`)
  await change.remove()
})

test('a recurring change that is moved, or recurs in another way, is counted from its new time', async () => {
  const change = await recurring('2026-01-31T08:00:00.000Z')
  await change.at('2026-01-31T08:00:01.000Z')
  // What else is edited moves nothing.
  await change.edit({ scheduled_at: new Date('2026-02-28T08:00:00Z'), end_date: new Date('2027-01-01T00:00:00Z') })
  expect((await change.at('2026-02-28T08:00:01.000Z')).next).toBe('2026-03-31T08:00:00.000Z')
  await change.edit({ scheduled_at: new Date('2026-03-30T09:00:00Z') })
  expect((await change.at('2026-03-30T09:00:01.000Z')).next).toBe('2026-04-30T09:00:00.000Z')
  expect((await change.at('2026-04-30T09:00:01.000Z')).next).toBe('2026-05-30T09:00:00.000Z')
  // The 30th of May is a Saturday; the 30th of March was a Monday.
  await change.edit({ scheduled_at: new Date('2026-05-30T09:00:00Z'), recurrence_interval: 'weekly' })
  expect((await change.at('2026-05-30T09:00:01.000Z')).next).toBe('2026-06-06T09:00:00.000Z')
  await change.remove()
})
