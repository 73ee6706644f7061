import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import { applyProvisioning } from '../../accounts/index.ts'
import { EVENT_COLUMNS, type EventRow, eventRowsAsBinary } from '../../events/index.ts'
import { createLogger } from '../../lib/logger.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { noteUsage } from './note-usage.ts'
import { runScheduledChanges } from './scheduled-changes.ts'

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
