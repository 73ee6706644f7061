/** Expressions of a client inside insights: as filters, breakdowns, maths and items of paths. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid } from '../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../test/support/insights/test-engine.ts'
import { hogqlQuerySchema } from '../../contract/queries/index.ts'
import { trendsOnWire } from '../kinds/trends/wire.ts'
import { readQuery } from '../parse/read-query.ts'
import { runActors } from '../run/actors.ts'
import { runInsight } from '../run/insight.ts'
import { csvRowsOf } from '../wire/csv.ts'
import type { PropertyTypeOf } from './view.ts'

const NOW = '2024-03-04T12:00:00Z'
let engine: TestEngine
let project: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  const event = (person: string, hour: number, properties: object, name = 'e') => ({
    event: name,
    distinctId: person,
    at: `2024-03-0${hour < 24 ? 3 : 4}T${String(hour % 24).padStart(2, '0')}:00:00Z`,
    properties: properties as never,
    personProperties: { email: `${person}@${person < 'c' ? 'in' : 'out'}.side` },
  })
  await project.seed([
    event('a', 1, { price: 10, $browser: 'Chrome', $current_url: 'https://x.test/one?q=1' }),
    event('a', 2, { price: '2.5', $browser: 'chrome', $current_url: 'https://x.test/two' }),
    event('b', 25, { price: 30, $browser: 'Safari', $current_url: 'https://y.test/one' }),
    event('c', 26, { $browser: "it's" }),
    event('c', 27, { price: 'free' }, 'other'),
  ])
})
afterAll(() => engine.stop())

const ask = (node: object, propertyType: PropertyTypeOf = () => null) =>
  runInsight({ ...project.context(NOW), propertyTypes: async () => propertyType }, readQuery(node))
const trend = (more: object = {}, series: object = {}) => ({
  kind: 'TrendsQuery',
  dateRange: { date_from: '-1d' },
  series: [{ kind: 'EventsNode', event: 'e', ...series }],
  ...more,
})
const hogql = (key: string) => ({ type: 'hogql', key, value: null })
const numbers = async (node: object, propertyType?: PropertyTypeOf) =>
  trendsOnWire(resultOf(await ask(node, propertyType), 'TrendsQuery')).map(({ label, data }) => [label, data])
const count = async (...filters: object[]) => {
  const [[, data] = []] = await numbers(trend({ properties: filters }))
  return (data as number[]).reduce((sum, each) => sum + each, 0)
}

describe('a filter', () => {
  test.each([
    ["properties.$browser = 'Chrome'", 1],
    ["lower(properties.$browser) = 'chrome'", 2],
    ['properties.price > 5', 2],
    ["person.properties.email like '%@in.side'", 3],
    ["distinct_id in ('a', 'c')", 3],
    ["toHour(timestamp) = 1 and event = 'e'", 2],
    ["properties.$browser = 'it\\'s'", 1],
    ["person_id in (select person_id from events where event = 'other')", 1],
    ['properties.nothing is null', 4],
    ["properties.nothing = 'x'", 0],
    ['events.properties.price is not null -- with a title', 3],
    ['1', 4],
  ])('%s', async (expression, expected) => {
    expect(await count(hogql(expression))).toBe(expected)
  })

  test('stands beside others, nested, on a series and in the test accounts of the project', async () => {
    expect(await count(hogql('properties.price > 1'), { key: '$browser', value: 'Safari' })).toBe(1)
    const either = { type: 'OR', values: [hogql('properties.price < 5'), { key: '$browser', value: 'Safari' }] }
    expect(await count(either)).toBe(2)
    expect(await numbers(trend({}, { properties: [hogql('properties.price > 5')] }))).toEqual([['e', [1, 1]]])
    const internal = { test_account_filters: [hogql("person.properties.email not like '%@in.side'")] }
    const answer = await project.query(NOW, trend({ filterTestAccounts: true }), internal)
    expect(resultOf(answer, 'TrendsQuery').series[0]?.data).toEqual([0, 1])
  })

  test('that is empty is refused', async () => {
    await expect(count(hogql('  '))).rejects.toMatchObject({ path: expect.arrayContaining([0, 'key']) })
  })

  test('reads properties as what they were seen to be', async () => {
    const node = trend({ properties: [hogql('properties.price = 10.0')] })
    expect(await numbers(node, (_, key) => (key === 'price' ? 'Numeric' : null))).toEqual([['e', [1, 0]]])
  })

  test.each([
    ['nonsense(1)', 'no function "nonsense"'],
    ['count() > 1', 'sums up several events'],
    ['whatever = 1', 'Unable to resolve field: whatever'],
    ['{filters}', 'not in an expression'],
    ['1 = ', 'The query ends'],
    ["url('http://x') = 1", 'no function "url"'],
  ])('%s is refused with its text', async (expression, why) => {
    await expect(ask(trend({ properties: [hogql(expression)] }))).rejects.toMatchObject({
      reason: 'invalid_input',
      path: ['properties'],
      message: expect.stringContaining(why),
    })
    await expect(ask(trend({ properties: [hogql(expression)] }))).rejects.toThrow(JSON.stringify(expression))
  })

  test('that the engine cannot run is the client’s to mend', async () => {
    for (const expression of ['[1] + 1', "toInt64('x') = 1", "'text'"]) {
      await expect(ask(trend({ properties: [hogql(expression)] }))).rejects.toMatchObject({ reason: 'invalid_input' })
    }
  })
})

describe('a breakdown', () => {
  const by = (breakdown: string, more: object = {}) =>
    trend({ breakdownFilter: { breakdown, breakdown_type: 'hogql', ...more } })

  test('has the values of the expression', async () => {
    expect(await numbers(by('lower(properties.$browser)'))).toEqual([
      ['chrome', [2, 0]],
      ["it's", [0, 1]],
      ['safari', [0, 1]],
    ])
    // An event without a price is none with a price above 5: a comparison answers yes or no.
    expect(await numbers(by('properties.price > 5'))).toEqual([
      ['0', [1, 1]],
      ['1', [1, 1]],
    ])
    expect(await numbers(by('toFloat(properties.price)'))).toContainEqual(['$$_posthog_breakdown_null_$$', [0, 1]])
    expect(await numbers(by('domain(properties.$current_url)', { breakdown_limit: 1 }))).toEqual([
      ['x.test', [2, 0]],
      ['$$_posthog_breakdown_other_$$', [0, 2]],
    ])
  })

  test('stands beside a property, and leads to who is behind it', async () => {
    const node = trend({
      breakdownFilter: {
        breakdowns: [
          { property: 'toString(toHour(timestamp))', type: 'hogql' },
          { property: '$browser', type: 'event' },
        ],
      },
    })
    const { series } = resultOf(await ask(node), 'TrendsQuery')
    expect(series.map(({ labels }) => labels)).toContainEqual(['1', 'Chrome'])
    const source = { kind: 'InsightActorsQuery', source: by('lower(properties.$browser)'), breakdown: 'chrome' }
    const { actors } = await runActors(project.context(NOW), readQuery(source) as never, { limit: 10, offset: 0 })
    expect(actors).toMatchObject([{ id: personUuid('a'), eventCount: 2 }])
  })

  test('works for funnels', async () => {
    const node = {
      kind: 'FunnelsQuery',
      dateRange: { date_from: '-1d' },
      series: [
        { kind: 'EventsNode', event: 'e' },
        { kind: 'EventsNode', event: 'other' },
      ],
      breakdownFilter: { breakdown: "splitByChar('@', person.properties.email)[2]", breakdown_type: 'hogql' },
    }
    const result = resultOf(await ask(node), 'FunnelsQuery')
    expect(result.viz === 'steps' && result.groups.map(({ labels, counts }) => [labels, counts])).toEqual([
      [['in.side'], [2, 0]],
      [['out.side'], [1, 1]],
    ])
  })
})

describe('a math', () => {
  const math = (math_hogql: string | undefined, more: object = {}) => trend(more, { math: 'hogql', math_hogql })

  test('is whatever the expression makes of the events of an interval', async () => {
    expect(await numbers(math('sum(properties.price) / count()'))).toEqual([['e', [6.25, 15]]])
    expect(await numbers(math('count(distinct person_id) * 100'))).toEqual([['e', [100, 200]]])
    const total = await ask(math('max(properties.price)', { trendsFilter: { display: 'BoldNumber' } }), () => 'Numeric')
    expect(resultOf(total, 'TrendsQuery').series[0]?.aggregated).toBe(30)
    expect(csvRowsOf(total.result)).toEqual([
      ['series', 'value'],
      ['e', 30],
    ])
  })

  test('with a breakdown ranks its values', async () => {
    const breakdownFilter = { breakdown: '$browser', breakdown_limit: 1, breakdown_hide_other_aggregation: true }
    expect(await numbers(math('sum(properties.price)', { breakdownFilter }))).toEqual([['Safari', [0, 30]]])
  })

  test('is refused without an expression, and when it sums up nothing', async () => {
    await expect(ask(math(undefined))).rejects.toMatchObject({ reason: 'required', path: ['series', 0, 'math_hogql'] })
    await expect(ask(math('properties.price'))).rejects.toThrow('must sum up events')
    await expect(ask(math('any(properties.$browser)'))).rejects.toThrow('String')
  })
})

test('inside the filters of a SQL query too', async () => {
  const { runSql } = await import('../kinds/sql/run.ts')
  const answer = await runSql(
    { ...project.context(NOW), propertyTypes: async () => () => null },
    hogqlQuerySchema.parse({
      kind: 'HogQLQuery',
      query: 'select count() from events where {filters}',
      filters: { properties: [hogql("properties.$browser = 'Safari'")] },
    }),
  )
  expect(answer.results).toEqual([[1]])
})
