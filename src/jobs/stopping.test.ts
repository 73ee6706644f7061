import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../test/support/clickhouse.ts'
import { newProject } from '../../test/support/identity.ts'
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.ts'
import { type ClickHouse, sql } from '../engines/clickhouse/index.ts'
import { DAY } from '../lib/durations.ts'
import { createLogger } from '../lib/logger.ts'
import { startJobs } from './jobs.ts'

let postgres: TestPostgres
let engine: TestClickHouse
beforeAll(async () => {
  ;[postgres, engine] = await Promise.all([startTestPostgres(), startTestClickHouse()])
})
afterAll(() => Promise.all([postgres?.stop(), engine?.stop()]))

const ENDLESS = sql`
  SELECT sum(sleepEachRow(0.1)) AS s FROM numbers(30000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`

it('a stop ends what jobs ask of ClickHouse; they have not failed, and are due again', async () => {
  for (const project of [await newProject(postgres.sql), await newProject(postgres.sql)]) {
    await postgres.sql`UPDATE projects SET data_retention_days = 30 WHERE id = ${project}`
    await postgres.sql`INSERT INTO feature_flags (project_id, key, filters) VALUES (${project}, 'beta', '{"groups":[]}')`
  }
  const asked: Promise<unknown>[] = []
  const slow: ClickHouse = {
    ...engine.clickhouse,
    query: (_, options) => {
      const asking = engine.clickhouse.query<never>(ENDLESS, { ...options, maxSeconds: 3_000 })
      const outcome = asking.then(
        () => 'answered',
        () => 'ended',
      )
      asked.push(outcome)
      return asking
    },
  }
  const failures: unknown[] = []
  const tell = (...line: unknown[]) => void failures.push(line)
  const log = Object.assign(createLogger('silent'), { warn: tell, error: tell })
  let now = new Date()
  const jobs = await startJobs({ sql: postgres.sql, clickhouse: slow, log, queues: [], clock: async () => now })
  now = new Date(now.getTime() + 2 * DAY)
  const readers = ['fill sessions', 'remove old events', 'when flags were called']
  await expect.poll(() => asked.length).toBe(readers.length)
  await jobs.stop()
  expect(await Promise.all(asked)).toEqual(readers.map(() => 'ended'))
  expect(failures).toEqual([])
  const due = await postgres.sql<{ name: string }[]>`
    SELECT name FROM scheduled_jobs
    WHERE next_run_at <= ${now} AND last_started_at IS NOT NULL AND name = ANY(${readers}) ORDER BY name`
  expect(due.map(({ name }) => name)).toEqual(readers)
})
