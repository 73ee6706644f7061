/** A question that needs more than it may have ends with an error the asker can act on, and leaves nothing running. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestHouse, type TestHouse, type TestProject } from '../../test/support/insights/house.ts'
import { type QueryOptions, type Settings, sql, str } from '../engines/clickhouse/index.ts'
import { runActors } from './actors/run.ts'
import type { InsightContext } from './context.ts'
import { runSql } from './hogql/run.ts'
import { readQuery } from './parse/read-query.ts'
import { runInsight } from './run.ts'

const NOW = '2024-03-02T00:00:00Z'
let house: TestHouse
let project: TestProject
beforeAll(async () => {
  house = await openTestHouse()
  project = house.project()
  await project.seed(
    Array.from({ length: 2_000 }, (_, at) => ({
      event: 'e',
      distinctId: `u${at}`,
      at: '2024-03-01T00:00:00Z',
      properties: { text: `${at} `.repeat(20) },
    })),
  )
})
afterAll(() => house.stop())

/** The same engine, on a shorter leash. */
function limited(settings: Settings): InsightContext {
  const context = project.context(NOW)
  const query = <T>(fragment: Parameters<typeof context.clickhouse.query>[0], options?: QueryOptions) =>
    context.clickhouse.query<T>(fragment, { ...options, settings: { ...options?.settings, ...settings } })
  return { ...context, clickhouse: { ...context.clickhouse, query } }
}
const ENDLESS =
  '1 in (select sum(cityHash64(x, y)) from (select arrayJoin(range(100000)) as x) as a cross join (select arrayJoin(range(1000000)) as y) as b)'
const trend = (more: object = {}) => ({
  kind: 'TrendsQuery',
  dateRange: { date_from: '-7d' },
  series: [{ kind: 'EventsNode', event: 'e' }],
  ...more,
})
const byText = trend({ breakdownFilter: { breakdown: 'text' } })
const tooHeavy = { code: 'query_too_heavy', status: 400 }

async function running(): Promise<number> {
  const { rows } = await project.clickhouse.query<{ n: number }>(
    sql`SELECT count() AS n FROM system.processes WHERE query ILIKE ${str('%cityHash64%')} AND query NOT ILIKE '%system.processes%'`,
  )
  return rows[0]?.n ?? 0
}

describe('too heavy is said, and nothing goes on', () => {
  test('by time', async () => {
    const context = limited({ max_execution_time: 1 })
    const endless = trend({ properties: [{ type: 'hogql', key: ENDLESS }] })
    await expect(runInsight(context, readQuery(endless))).rejects.toMatchObject(tooHeavy)
    const actors = readQuery({ kind: 'InsightActorsQuery', source: endless }) as never
    await expect(runActors(context, actors, { limit: 1, offset: 0 })).rejects.toMatchObject(tooHeavy)
    await expect.poll(running, { timeout: 20_000 }).toBe(0)
  })

  test('by memory', async () => {
    const context = limited({ max_memory_usage: 1_000_000 })
    await expect(runInsight(context, readQuery(byText))).rejects.toMatchObject(tooHeavy)
    expect((await runInsight(project.context(NOW), readQuery(trend()))).rowsRead).toBeGreaterThan(0)
  })

  test('by rows read and rows answered', async () => {
    const reading = limited({ max_rows_to_read: 10 })
    await expect(runInsight(reading, readQuery(trend()))).rejects.toMatchObject(tooHeavy)
    const context = { ...project.context(NOW), propertyType: () => null }
    const many = 'select number from (select arrayJoin(range(100000)) as number) union all select 1'
    expect((await runSql(context, { query: many })).results).toHaveLength(50_000)
  })

  test('by intervals', async () => {
    const minutes = trend({ dateRange: { date_from: '2000-01-01' }, interval: 'minute' })
    await expect(runInsight(project.context(NOW), readQuery(minutes))).rejects.toMatchObject(tooHeavy)
  })
})

test('an abort ends the statement in the engine', async () => {
  const stop = new AbortController()
  const endless = readQuery(trend({ properties: [{ type: 'hogql', key: ENDLESS }] }))
  const answer = runInsight(project.context(NOW), endless, { signal: stop.signal }).catch(
    (error: Error) => error.message,
  )
  await expect.poll(running, { timeout: 20_000 }).toBeGreaterThan(0)
  stop.abort()
  expect(await answer).toBe('The query was cancelled.')
  await expect.poll(running, { timeout: 20_000 }).toBe(0)
})

test('a question cannot write', async () => {
  const { Conversation } = await import('./engine.ts')
  const conversation = new Conversation(project.clickhouse)
  await expect(conversation.ask(sql`DROP TABLE events`)).rejects.toThrow(/readonly/i)
  expect((await runInsight(project.context(NOW), readQuery(trend()))).rowsRead).toBeGreaterThan(0)
})
