import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.ts'
import type { InsightContext } from '../facts/context.ts'
import { readQuery } from '../parse/read-query.ts'
import type { InsightAnswer } from './insight.ts'
import { ResultCache } from './result-cache.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await startTestPostgres()
})
afterAll(() => postgres?.stop())

const question = (event: string) => readQuery({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event }] })
const context = (id = 1) =>
  ({
    project: { id, timezone: 'UTC', week_start_day: 0, test_account_filters: [] },
    now: Date.now(),
    hasOverrides: false,
  }) as unknown as InsightContext

/** An answer of about so many bytes. */
const answerOf = (event: string, bytes: number) =>
  ({
    query: question(event),
    result: { series: [{ data: Array(bytes / 8).fill(1) }] },
    asked: [],
  }) as unknown as InsightAnswer

const ask = (cache: ResultCache<InsightAnswer>, event: string, bytes = 8_000) =>
  cache.answer(postgres.sql, context(), question(event), async () => answerOf(event, bytes))

test('answers are kept up to so many bytes, the least recently used leave first, and a huge one is not kept', async () => {
  const cache = new ResultCache<InsightAnswer>({ mostBytes: 100_000, keptForMs: 60_000 })
  for (let at = 0; at < 8; at++) await ask(cache, `e${at}`)
  expect((await ask(cache, 'e0')).isCached).toBe(true)
  for (let at = 8; at < 40; at++) await ask(cache, `e${at}`)
  expect(cache.size.bytes).toBeLessThanOrEqual(100_000)
  expect(cache.size.answers).toBeGreaterThan(4)
  expect((await ask(cache, 'e39')).isCached).toBe(true)
  expect((await ask(cache, 'e1')).isCached).toBe(false)
  const { answers } = cache.size
  await ask(cache, 'huge', 64_000)
  expect((await ask(cache, 'huge', 64_000)).isCached).toBe(false)
  expect(cache.size.answers).toBe(answers)
})

test('what nobody asks for again leaves by itself', async () => {
  const cache = new ResultCache<InsightAnswer>({ mostBytes: 100_000, keptForMs: 50 })
  await ask(cache, 'once')
  expect(cache.size.answers).toBe(1)
  await expect.poll(() => cache.size).toEqual({ answers: 0, bytes: 0 })
})
