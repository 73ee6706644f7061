import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestClickHouse, type TestClickHouse } from '../../../test/support/clickhouse.ts'
import { questionCounts, questionsOf, sql } from '../../engines/clickhouse/index.ts'
import { QuestionProbe } from './question-probe.ts'

let services: TestClickHouse
beforeAll(async () => {
  services = await startTestClickHouse()
})
afterAll(() => services?.stop())

/** Runs until it is cancelled, or five minutes. */
const ENDLESS = sql`SELECT sum(sleepEachRow(0.1)) AS s FROM numbers(3000) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`

test('tells when questions are not answered, without waiting for one, and when they are again', async () => {
  const probe = new QuestionProbe(services.clickhouse, 300)
  const patient = new QuestionProbe(services.clickhouse, 60_000)
  await expect.poll(() => probe.unansweredFor(5_000)).toBe(0)
  const stop = new AbortController()
  const busy = Promise.allSettled(
    [1, 2].flatMap((project) =>
      Array.from({ length: 10 }, () =>
        questionsOf(services.clickhouse, { id: project, organization_id: `of ${project}` }).query(ENDLESS, {
          signal: stop.signal,
          maxSeconds: 3_000,
        }),
      ),
    ),
  )
  await expect.poll(() => questionCounts(services.clickhouse).waiting).toBeGreaterThan(0)
  await expect.poll(() => probe.unansweredFor(20)).toBeGreaterThan(0)
  expect(await patient.unansweredFor(20)).toBe(0)
  stop.abort()
  await busy
  await expect.poll(() => probe.unansweredFor(1_000)).toBe(0)
})
