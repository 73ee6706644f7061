/** A question that needs more than it may have ends with an error the asker can act on, and leaves nothing running. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { type QueryOptions, type Settings, sql, str } from '../../engines/clickhouse/index.ts'
import type { InsightContext } from '../facts/context.ts'
import { runSql } from '../kinds/sql/run.ts'
import { readQuery } from '../parse/read-query.ts'
import { runActors } from './actors.ts'
import { runInsight } from './insight.ts'

const NOW = '2024-03-02T00:00:00Z'
let engine: TestEngine
let project: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  await project.seed(
    Array.from({ length: 2_000 }, (_, at) => ({
      event: 'e',
      distinctId: `u${at}`,
      at: '2024-03-01T00:00:00Z',
      properties: { text: `${at} `.repeat(20) },
    })),
  )
})
afterAll(() => engine.stop())

/** The same engine, with smaller limits. */
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
const tooHeavy = { reason: 'query_too_heavy' }

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
    await expect.poll(running).toBe(0)
  })

  test('by memory', async () => {
    const context = limited({ max_memory_usage: 1_000_000 })
    await expect(runInsight(context, readQuery(byText))).rejects.toMatchObject(tooHeavy)
    expect((await runInsight(project.context(NOW), readQuery(trend()))).rowsRead).toBeGreaterThan(0)
  })

  test('by rows read and rows answered', async () => {
    const reading = limited({ max_rows_to_read: 10 })
    await expect(runInsight(reading, readQuery(trend()))).rejects.toMatchObject(tooHeavy)
    const context = { ...project.context(NOW), propertyTypes: async () => () => null }
    const many = 'select arrayJoin(range(100000)) as number limit 100000 union all select 1 limit 1'
    expect((await runSql(context, { query: many })).results).toHaveLength(50_000)
  })

  test('by intervals', async () => {
    const minutes = trend({ dateRange: { date_from: '2000-01-01' }, interval: 'minute' })
    await expect(runInsight(project.context(NOW), readQuery(minutes))).rejects.toMatchObject(tooHeavy)
  })
})

describe('what one question may hold is bounded, and said in words', () => {
  const asked = (more: object) => runInsight(project.context(NOW), readQuery(trend(more)))
  const several = (count: number, of: (at: number) => object) => Array.from({ length: count }, (_, at) => of(at))
  const series = (count: number) => several(count, () => ({ kind: 'EventsNode', event: 'e' }))
  const filter = (value: unknown, operator = 'exact') => ({ type: 'event', key: 'text', operator, value })

  test('points of a chart', async () => {
    await expect(
      asked({ interval: 'minute', dateRange: { date_from: '-30d' }, series: series(12) }),
    ).rejects.toMatchObject({
      ...tooHeavy,
      message: expect.stringMatching(
        /^4\d,\d{3} minutes of 12 series are 5\d\d,\d{3} points; the limit is 50,000: ask by hour, /,
      ),
    })
    const broken = {
      interval: 'minute',
      dateRange: { date_from: '-3d' },
      breakdownFilter: { breakdown: 'text', breakdown_limit: 100 },
    }
    await expect(asked(broken)).rejects.toMatchObject({ ...tooHeavy, message: expect.stringMatching(/fewer values/) })
    expect((await asked({ ...broken, interval: 'hour' })).rowsRead).toBeGreaterThan(0)
  })

  test('filters, values, expressions', async () => {
    const cases: [object, RegExp][] = [
      [{ properties: several(501, (at) => filter(`${at}`)) }, /501 property filters; the limit is 500/],
      [{ properties: [filter(several(20_001, (at) => ({ at })).map((_, at) => `${at}`))] }, /20,001 values/],
      [{ properties: several(101, (at) => ({ type: 'hogql', key: `event = '${at}'` })) }, /101 expressions/],
    ]
    for (const [more, words] of cases)
      await expect(asked(more)).rejects.toMatchObject({ ...tooHeavy, message: expect.stringMatching(words) })
  })

  test('regular expressions: how many, and what each may cost', async () => {
    const many = several(2_000, (at) => filter(`^a${at}$`, 'regex'))
    await expect(asked({ properties: [{ type: 'OR', values: many.slice(0, 400) }] })).rejects.toMatchObject({
      reason: 'invalid_input',
      message: expect.stringMatching(/400 regular expressions; the limit is 100/),
    })
    for (const heavy of ['(a?){500}(a){500}b', '((a{1,100}){1,100}){1,100}', 'x'.repeat(600)])
      await expect(asked({ properties: [filter(heavy, 'regex')] })).rejects.toMatchObject({
        reason: 'invalid_input',
        message: expect.stringMatching(/the limit is 500/),
      })
    expect((await asked({ properties: [filter('^[0-9]{1,20} ', 'regex')] })).rowsRead).toBeGreaterThan(0)
  })
})

describe('functions that do much for one row', () => {
  const longList = 'arrayMap(x -> toString(x), range(100000))'
  const context = () => ({ ...limited({ max_execution_time: 5 }), propertyTypes: async () => () => null })

  test('are refused in words', async () => {
    const hostile = [
      'select hasAll(range(1000000), arrayMap(x -> x + 0, range(1000000)))',
      `select hasAny(${longList}, arrayMap(x -> concat('a', x), ${longList}))`,
      'select hasAll(groupArray(uuid), groupArray(distinct_id)) from events',
      `select sum(has(${longList}, properties.text)) from events`,
      `select arrayCount(x -> has(${longList}, x), ${longList})`,
      `select arrayMap(x -> arrayFilter(y -> y = x, range(100000)), range(100000))`,
      `select indexOf(${longList}, properties.text) from events`,
      'select arraySort(range(3000000))',
      "select match(leftPad('', 1000000, 'a'), '(a?){500}(a){500}b')",
      "select match(leftPad('', 1000000, 'a'), '(a|b)*c')",
      "select replaceRegexpAll(properties.text, '(a?){500}(a){500}b', '') from events",
      'select match(properties.text, properties.text) from events',
      "select properties.text =~ '(x?){500}(x){500}y' from events",
      "select arrayReduce('noSuchAggregate', range(10))",
      `select ${Array.from({ length: 200 }, (_, at) => `JSONExtractString(properties, 'k${at}')`).join(' || ')} from events`,
      `select ${'abs('.repeat(60)}1${')'.repeat(60)}${' + abs(1)'.repeat(1_000)}`,
      'select range(100000000)',
    ]
    for (const query of hostile)
      await expect(runSql(context(), { query }), query.slice(0, 80)).rejects.toMatchObject({
        name: 'InvalidQuery',
        reason: 'invalid_input',
      })
  })

  test('and what people write goes on working', async () => {
    const cases: [string, unknown][] = [
      ["select hasAll(['a', 'b', 'c'], ['a', 'c']), hasAny([1, 2], [3])", [1, 0]],
      ["select has(['a', 'b'], 'b'), indexOf([5, 6], 6), countEqual([1, 1], 1)", [1, 2, 2]],
      [
        'select arraySort([3, 1, 2]), arrayReverseSort(x -> -x, [3, 1, 2])',
        [
          [1, 2, 3],
          [1, 2, 3],
        ],
      ],
      ["select arrayFilter(x -> has(['a'], x), ['a', 'b']), arrayReduce('max', [1, 3])", [['a'], 3]],
      ["select match('abc', '^a.c$'), extract('n=12', '([0-9]+)'), splitByRegexp(',+', 'a,,b')", [1, '12', ['a', 'b']]],
      [
        "select replaceRegexpAll(concat('a', 'b'), 'b+', 'c'), 'abc' =~ 'b', multiMatchAny('abc', ['x', 'c'])",
        ['ac', 1, 1],
      ],
      ["select match(text, {pattern}) from (select 'abc' as text)", [1]],
      ['select has(groupUniqArray(event), {name}) from events', [1]],
    ]
    for (const [query, row] of cases) {
      const { results } = await runSql(context(), { query, values: { pattern: 'b.', name: 'e' } })
      expect(results, query).toEqual([row])
    }
  })
})

test('an abort ends the statement in the engine', async () => {
  const stop = new AbortController()
  const endless = readQuery(trend({ properties: [{ type: 'hogql', key: ENDLESS }] }))
  // Longer than a poll waits, so that what has ended was ended.
  const unhurried = limited({ max_execution_time: 3_000 })
  const answer = runInsight(unhurried, endless, { signal: stop.signal }).catch((error: Error) => error.message)
  await expect.poll(running).toBeGreaterThan(0)
  stop.abort()
  expect(await answer).toBe('The query was cancelled.')
  await expect.poll(running).toBe(0)
})

test('a question cannot write', async () => {
  const { StatementRunner } = await import('./statement-runner.ts')
  const runner = new StatementRunner(project.clickhouse)
  await expect(runner.ask(sql`DROP TABLE events`)).rejects.toThrow(/readonly/i)
  expect((await runInsight(project.context(NOW), readQuery(trend()))).rowsRead).toBeGreaterThan(0)
})
