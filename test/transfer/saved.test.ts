/** Insights and dashboards that were saved elsewhere: imported as files, and sent to the API as they were answered. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

/** What an answer says besides what was saved. */
const OF_ANSWERS = {
  last_refresh: '2025-01-02T00:00:00Z',
  refreshing: false,
  is_sample: false,
  effective_restriction_level: 21,
  effective_privilege_level: 37,
  user_access_level: 'manager',
  created_at: '2025-01-01T00:00:00Z',
  created_by: { id: 77, uuid: '0190-x', first_name: 'Grace', email: 'grace@example.com', hedgehog_config: null },
  last_modified_by: null,
  result: [{ data: [1, 2, 3] }],
  timezone: 'UTC',
  alerts: [],
  query_status: null,
}

const insight = (id: number, short_id: string, name: string, question: object) => ({
  id,
  short_id,
  name,
  derived_name: null,
  description: null,
  filters: {},
  query: null,
  order: null,
  deleted: false,
  dashboards: [4711],
  dashboard_tiles: [{ id: 9, dashboard_id: 4711, deleted: false }],
  favorited: false,
  saved: true,
  tags: ['from elsewhere'],
  ...OF_ANSWERS,
  ...question,
})

const series = [{ kind: 'EventsNode', event: '$pageview', math: 'total' }]
const trend = insight(1, 'TrendAbc', 'Views', {
  query: {
    kind: 'InsightVizNode',
    source: { kind: 'TrendsQuery', series, dateRange: { date_from: '-7d' } },
    full: true,
  },
})
const legacy = insight(2, 'OldOnes1', 'Old', {
  filters: { insight: 'TRENDS', events: [{ id: '$pageview', type: 'events', order: 0 }], date_from: '-7d' },
})
const sql = insight(3, 'SqlSqlSq', 'By SQL', {
  query: { kind: 'DataVisualizationNode', source: { kind: 'HogQLQuery', query: 'select count() from events' } },
})
const table = insight(4, 'TableTab', 'Newest', {
  query: { kind: 'DataTableNode', source: { kind: 'EventsQuery', select: ['event', 'timestamp'], after: '-24h' } },
})
const unknown = insight(5, 'TracesXy', 'Traces', { query: { kind: 'TracesQuery', dateRange: {} } })
const byAction = insight(6, 'ActionXy', 'Bought', {
  query: { kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: 31, name: 'Bought', math: 'total' }] },
})
const byLostAction = insight(7, 'ActionZz', 'Lost', {
  query: { kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: 32, name: 'Nowhere', math: 'total' }] },
})

const tile = (id: number, of: object) => ({
  id,
  insight: null,
  text: null,
  layouts: { sm: { x: 0, y: 0, w: 6, h: 5 } },
  color: null,
  deleted: null,
  filters_overrides: {},
  last_refresh: null,
  ...of,
})
const dashboard = {
  id: 4711,
  name: 'Weekly',
  description: null,
  pinned: true,
  filters: { date_from: '-14d' },
  tags: [],
  deleted: false,
  creation_mode: 'default',
  is_shared: false,
  restriction_level: 21,
  persisted_filters: null,
  tiles: [
    tile(1, { insight: trend, color: 'blue' }),
    tile(2, { insight: legacy }),
    tile(3, { text: { id: 5, body: '# Hello', last_modified_at: '2025-01-01T00:00:00Z', team: 2 } }),
    tile(4, { insight: sql }),
    tile(5, { button_tile: { url: 'https://example.com' } }),
  ],
  ...OF_ANSWERS,
}

let work: string
let service: TestService
beforeAll(async () => {
  work = await mkdtemp(path.join(os.tmpdir(), 'footfall-saved-'))
  service = await startTestService()
  const timestamp = new Date(Date.now() - 3_600_000).toISOString()
  await service.capture([
    { event: '$pageview', distinct_id: 'ada', timestamp },
    { event: 'buy', distinct_id: 'ada', timestamp },
  ])
  const stored = async () => (await service.api('events/')).body.results.length === 2
  await service.waitFor(stored, 'the events')
})
afterAll(async () => {
  await service?.stop()
  await rm(work, { recursive: true, force: true })
})

const file = async (name: string, content: unknown, spaces?: number): Promise<string> => {
  const where = path.join(work, name)
  await writeFile(where, JSON.stringify(content, null, spaces))
  return where
}
const imported = async (where: string) => {
  const { code, stdout } = await service.cli('import', where, '--json')
  return { code, ...JSON.parse(stdout) }
}

describe('insights and dashboards of another service', () => {
  it('come in as a page of a list, once, with what could not be carried', async () => {
    const action = { name: 'Bought', steps: [{ event: 'buy' }] }
    const made = await service.api('/api/projects/1/actions/', { method: 'POST', body: action })
    expect(made.status).toBe(201)
    const page = {
      count: 6,
      next: null,
      previous: null,
      results: [trend, legacy, sql, table, unknown, byAction, byLostAction],
    }
    const where = await file('insights.json', page, 2)
    const first = await imported(where)
    expect(first).toMatchObject({ code: 1, insights: 7, dashboards: 0, known: 0 })
    expect(first.notes).toEqual([
      { what: 'insight "Traces"', why: expect.stringContaining('Unsupported query kind: TracesQuery') },
      { what: 'insight "Lost"', why: expect.stringContaining('action 32 "Nowhere" is not in this project') },
    ])
    expect(await imported(where)).toMatchObject({ code: 0, insights: 0, known: 7, notes: [] })
  })

  it('answer afterwards', async () => {
    const asked = async (short: string) =>
      (await service.api(`/api/projects/1/insights/${short}/?refresh=blocking`)).body as Record<string, never>
    expect(await asked('TrendAbc')).toMatchObject({ name: 'Views', result: [{ count: 1 }], tags: ['from elsewhere'] })
    expect(await asked('OldOnes1')).toMatchObject({ result: [{ count: 1 }] })
    expect(await asked('SqlSqlSq')).toMatchObject({ result: [[2]] })
    expect((await asked('TableTab')).result).toHaveLength(2)
    expect(await asked('ActionXy')).toMatchObject({ result: [{ count: 1 }] })
  })

  it('a dashboard brings its tiles and its insights, and is found again', async () => {
    const where = await file('dashboard.json', dashboard, 2)
    const first = await imported(where)
    expect(first).toMatchObject({ code: 1, insights: 0, dashboards: 1, known: 3 })
    expect(first.notes).toEqual([{ what: 'dashboard "Weekly"', why: 'a tile is neither an insight nor a text' }])
    expect(await imported(where)).toMatchObject({ code: 0, dashboards: 0, known: 4 })
    const list = await service.api('/api/projects/1/dashboards/?search=Weekly')
    expect(list.body.results).toHaveLength(1)
    const found = await service.api(`/api/projects/1/dashboards/${list.body.results[0].id}/?refresh=true`)
    expect(found.body).toMatchObject({ name: 'Weekly', pinned: true, filters: { date_from: '-14d' } })
    expect(found.body.tiles).toMatchObject([
      { insight: { short_id: 'TrendAbc', result: [{ count: 1 }] }, color: 'blue', layouts: { sm: { w: 6 } } },
      { insight: { short_id: 'OldOnes1' } },
      { insight: null, text: { body: '# Hello' } },
      { insight: { short_id: 'SqlSqlSq', result: [[2]] } },
    ])
  })

  it('come in one on each line, and what is neither is told', async () => {
    const where = path.join(work, 'lines.jsonl')
    const another = insight(8, 'LinesXyz', 'On a line', { query: trend.query })
    await writeFile(where, `${JSON.stringify(another)}\n${JSON.stringify({ name: 'A flag', key: 'x' })}\n`)
    expect(await imported(where)).toMatchObject({
      insights: 1,
      notes: [{ what: '"A flag"', why: 'it is neither an insight nor a dashboard' }],
    })
  })

  it('are taken by POST as they were answered', async () => {
    const kept = await service.api('/api/projects/2/insights/', { method: 'POST', body: trend })
    expect(kept.status, JSON.stringify(kept.body)).toBe(201)
    expect(kept.body).toMatchObject({ name: 'Views', dashboards: [], query: trend.query })
    expect(kept.body.short_id).not.toBe('TrendAbc')
    const made = await service.api('/api/projects/2/dashboards/', { method: 'POST', body: dashboard })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body).toMatchObject({ name: 'Weekly', description: '' })
    expect(made.body.tiles.map((each: { insight: { name: string } | null }) => each.insight?.name ?? null)).toEqual([
      'Views',
      'Old',
      'By SQL',
      null,
    ])
  })
})
