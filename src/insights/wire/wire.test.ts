import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  asTrends,
  openTestEngine,
  type TestEngine,
  type TestProject,
} from '../../../test/support/insights/test-engine.ts'
import { trendsOnWire } from '../kinds/trends/wire.ts'
import { csvRowsOf, csvText } from './csv.ts'
import { legacyEnvelope, queryEnvelope } from './envelope.ts'

let engine: TestEngine
let project: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  await project.seed([
    { event: 'a', distinctId: 'x', at: '2020-01-01T12:00:00Z', properties: { plan: 'say "hi", you' } },
    { event: 'a', distinctId: 'y', at: '2020-01-02T12:00:00Z' },
    { event: 'b', distinctId: 'x', at: '2020-01-02T12:00:00Z' },
  ])
})
afterAll(() => engine.stop())

const LINKS = { point: () => '', step: () => '', correlation: () => '', retention: () => '' }
const NOW = '2020-01-02T13:00:00Z'
const RANGE = { date_from: '2020-01-01', date_to: '2020-01-02' }

test('the legacy envelope holds the whole answer', async () => {
  const answer = await project.legacy(NOW, { ...RANGE, events: [{ id: 'a', custom_name: 'Arrivals', math: 'dau' }] })
  expect(legacyEnvelope(answer, LINKS, { lastRefresh: Date.parse(NOW) })).toMatchObject({
    result: [
      {
        action: {
          id: 'a',
          type: 'events',
          order: 0,
          name: 'a',
          custom_name: 'Arrivals',
          math: 'dau',
          math_property: null,
          properties: [],
          days: ['2020-01-01', '2020-01-02'],
        },
        label: 'a',
        count: 2,
        data: [1, 1],
        labels: ['1-Jan-2020', '2-Jan-2020'],
        days: ['2020-01-01', '2020-01-02'],
        filter: { insight: 'TRENDS', interval: 'day', date_from: '2020-01-01T00:00:00Z' },
      },
    ],
    timezone: 'UTC',
    is_cached: false,
    last_refresh: '2020-01-02T13:00:00.000Z',
    next: null,
  })
})

test('the envelope of query nodes says results, and the statements when asked', async () => {
  const answer = await project.query(NOW, {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'a' }],
    dateRange: RANGE,
  })
  const envelope = queryEnvelope(answer, { explain: true })
  expect(envelope).toMatchObject({
    results: [{ count: 2 }],
    hasMore: false,
    resolved_date_range: { date_from: '2020-01-01T00:00:00Z', date_to: '2020-01-02T23:59:59Z' },
  })
  const { explain } = envelope as {
    explain?: { sql: string; parameters: Record<string, unknown>; rows_read: number }[]
  }
  expect(explain).toHaveLength(1)
  expect(explain?.[0]?.sql).toMatch(/^\s*SELECT/)
  expect(Object.values(explain?.[0]?.parameters ?? {})).toContain('a')
  expect(explain?.[0]?.rows_read).toBeGreaterThan(0)
})

test('no text of a client is ever part of a statement', async () => {
  const texts = ['nasty_event', 'nasty_key', 'nasty_value', 'nasty_breakdown', 'nasty_math']
  const answer = await project.legacy(NOW, {
    ...RANGE,
    events: [{ id: 'nasty_event', math: 'sum', math_property: 'nasty_math' }],
    properties: [{ key: 'nasty_key', value: 'nasty_value' }],
    breakdown: 'nasty_breakdown',
  })
  for (const { statement } of answer.asked) for (const text of texts) expect(statement.query).not.toContain(text)
})

test('one number for the whole range has no days', async () => {
  const { result } = await project.legacy(NOW, { ...RANGE, events: [{ id: 'a' }], display: 'BoldNumber' })
  const [series] = trendsOnWire(asTrends(result))
  expect(series).toMatchObject({ aggregated_value: 2, count: 0, data: [], days: [] })
  expect(series).not.toHaveProperty('labels')
  const formula = await project.legacy(NOW, {
    ...RANGE,
    events: [{ id: 'a' }, { id: 'b' }],
    formula: 'A*10+B',
    display: 'ActionsPie',
  })
  expect(trendsOnWire(asTrends(formula.result))).toMatchObject([
    { aggregated_value: 21, count: 0, data: null, action: null },
  ])
})

test('several series say their event and the value; several formulas are blocks in their order', async () => {
  const events = [{ id: 'a' }, { id: 'b' }]
  const broken = await project.legacy(NOW, { ...RANGE, events, breakdown: 'plan' })
  expect(trendsOnWire(asTrends(broken.result)).map(({ label }) => label)).toEqual([
    'a - say "hi", you',
    'a - $$_posthog_breakdown_null_$$',
    'b - $$_posthog_breakdown_null_$$',
  ])
  const node = {
    kind: 'TrendsQuery',
    series: events.map(({ id }) => ({ kind: 'EventsNode', event: id })),
    dateRange: RANGE,
    trendsFilter: { formulaNodes: [{ formula: 'A+B', custom_name: 'Both' }, { formula: 'A-B' }], formula: 'A' },
  }
  const blocks = await project.query(NOW, node)
  expect(trendsOnWire(asTrends(blocks.result)).map(({ label, data }) => [label, data])).toEqual([
    ['Both', [1, 2]],
    ['Formula (A-B)', [1, 0]],
  ])
  const unknown = project.query(NOW, { ...node, trendsFilter: { formula: 'A+C' } })
  await expect(unknown).rejects.toMatchObject({ path: ['trendsFilter', 'formula'] })
})

test('CSV has the numbers of the JSON', async () => {
  const filter = { ...RANGE, events: [{ id: 'a', custom_name: 'Arrivals' }, { id: 'b' }] }
  const plain = await project.legacy(NOW, filter)
  expect(csvText(csvRowsOf(plain.result))).toBe('series,1-Jan-2020,2-Jan-2020\r\nArrivals,1,1\r\nb,0,1\r\n')
  const broken = await project.legacy(NOW, {
    ...filter,
    events: [{ id: 'a' }],
    breakdown: 'plan',
    display: 'ActionsTable',
  })
  expect(csvText(csvRowsOf(broken.result))).toBe(
    'series,value\r\n"say ""hi"", you",1\r\n$$_posthog_breakdown_null_$$,1\r\n',
  )
  const nothing = await project.legacy(NOW, RANGE)
  expect(csvText(csvRowsOf(nothing.result))).toBe('series,1-Jan-2020,2-Jan-2020\r\n')
})

test('each series has filters of its own', async () => {
  const events = ['say "hi", you', 'nothing'].map((value) => ({ id: 'a', properties: [{ key: 'plan', value }] }))
  const { result } = await project.legacy(NOW, { ...RANGE, events })
  expect(trendsOnWire(asTrends(result)).map(({ data }) => data)).toEqual([
    [1, 0],
    [0, 0],
  ])
})
