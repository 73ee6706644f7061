import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid, type SeedEvent, seedPersons } from '../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../test/support/insights/test-engine.ts'
import type { ActorsSource } from '../../contract/queries/index.ts'
import { lifecycleOnWire } from '../kinds/lifecycle/wire.ts'
import { pathsOnWire } from '../kinds/paths/wire.ts'
import { linkedRetentionOnWire, retentionOnWire } from '../kinds/retention/wire.ts'
import { stickinessOnWire } from '../kinds/stickiness/wire.ts'
import { readQuery } from '../parse/read-query.ts'
import { runActors } from '../run/actors.ts'
import { csvRowsOf } from './csv.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const did = (distinctId: string, event: string, at: string, properties = {}): SeedEvent => ({
  event,
  distinctId,
  at: at.length === 10 ? `${at}T10:00:00Z` : `${at}Z`,
  properties,
})
async function who(project: TestProject, source: object, now: string) {
  const query = readQuery(source) as ActorsSource
  const { actors } = await runActors(project.context(now), query, { limit: 10, offset: 0 })
  return actors.map(({ id }) => id).toSorted()
}
const ids = (...names: string[]) => names.map(personUuid).toSorted()

describe('retention', () => {
  const NOW = '2020-06-13T12:00:00Z'
  const VISITS = [
    did('u', '$pageview', '2020-06-10'),
    did('u', '$pageview', '2020-06-11'),
    did('u', '$pageview', '2020-06-13'),
    did('v', '$pageview', '2020-06-10'),
    did('v', '$pageview', '2020-06-12'),
  ]
  test('is a triangle: who came on a day and came back days later', async () => {
    const project = engine.project()
    await project.seed(VISITS)
    const answer = await project.legacy(NOW, { insight: 'RETENTION', total_intervals: 4 })
    const result = resultOf(answer, 'RetentionQuery')
    expect(result.groups[0]?.rows).toEqual([[2, 1, 1, 1], [1, 0, 1], [1, 0], [1]])
    const link = (row: number, after?: number) => `/people?row=${row}&after=${after}`
    const legacy = linkedRetentionOnWire(result, link)
    expect(legacy[1]).toEqual({
      label: 'Day 1',
      date: '2020-06-11T00:00:00Z',
      people_url: '/people?row=1&after=undefined',
      values: [1, 0, 1].map((count, after) => ({ count, people: [], people_url: `/people?row=1&after=${after}` })),
    })
    expect(retentionOnWire(result)[3]).toEqual({
      label: 'Day 3',
      date: '2020-06-13T00:00:00Z',
      values: [{ count: 1, label: 'Day 0' }],
    })
    expect(csvRowsOf(result)).toEqual([
      ['cohort', 'size', 'Day 0', 'Day 1', 'Day 2', 'Day 3'],
      ['2020-06-10T00:00:00Z', 2, 2, 1, 1, 1],
      ['2020-06-11T00:00:00Z', 1, 1, 0, 1],
      ['2020-06-12T00:00:00Z', 1, 1, 0],
      ['2020-06-13T00:00:00Z', 1, 1],
    ])
    const source = {
      kind: 'InsightActorsQuery',
      source: { kind: 'RetentionQuery', retentionFilter: { totalIntervals: 4 } },
    }
    expect(await who(project, { ...source, interval: 0 }, NOW)).toEqual(ids('u', 'v'))
    expect(await who(project, { ...source, interval: 0, day: 2 }, NOW)).toEqual(ids('v'))
  })

  test('has eleven days by default, and weeks that start on Sunday', async () => {
    const project = engine.project()
    await project.seed(VISITS)
    const days = resultOf(await project.legacy(NOW, { insight: 'RETENTION' }), 'RetentionQuery')
    expect(days.groups[0]?.rows.map((row) => row.length)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
    const weeks = resultOf(
      await project.legacy(NOW, { insight: 'RETENTION', period: 'Week', total_intervals: 2 }),
      'RetentionQuery',
    )
    expect(retentionOnWire(weeks).map(({ label, date }) => [label, date])).toEqual([
      ['Week 0', '2020-05-31T00:00:00Z'],
      ['Week 1', '2020-06-07T00:00:00Z'],
    ])
  })
})

describe('days of a time zone', () => {
  test('are days on its own clocks, also when those change', async () => {
    const project = engine.project()
    const at = (time: string) => did('u', 'visit', time)
    // In Berlin: half past midnight of the 31st, an hour of which is skipped, and of the day after; and the 2nd.
    await project.seed([at('2024-03-30T23:30:00'), at('2024-03-31T22:30:00'), at('2024-04-02T10:00:00')])
    const berlin = { timezone: 'Europe/Berlin' }
    const entity = { id: 'visit', type: 'events' }
    const NOW = '2024-04-02T12:00:00Z'
    const retention = await project.query(
      NOW,
      { kind: 'RetentionQuery', retentionFilter: { totalIntervals: 4, targetEntity: entity, returningEntity: entity } },
      berlin,
    )
    const result = resultOf(retention, 'RetentionQuery')
    expect(result.groups[0]?.rows).toEqual([[0, 0, 0, 0], [1, 1, 1], [1, 1], [1]])
    expect(retentionOnWire(result).map(({ date }) => date)).toEqual([
      '2024-03-30T00:00:00+01:00',
      '2024-03-31T00:00:00+01:00',
      '2024-04-01T00:00:00+02:00',
      '2024-04-02T00:00:00+02:00',
    ])
    const series = [{ kind: 'EventsNode', event: 'visit' }]
    const dateRange = { date_from: '2024-03-30', date_to: '2024-04-02' }
    const stickiness = await project.query(NOW, { kind: 'StickinessQuery', series, dateRange }, berlin)
    expect(resultOf(stickiness, 'StickinessQuery').series[0]?.data).toEqual([0, 0, 1, 0])
    const lifecycle = await project.query(NOW, { kind: 'LifecycleQuery', series, dateRange }, berlin)
    expect(resultOf(lifecycle, 'LifecycleQuery').series.map(({ data }) => data)).toEqual([
      [0, 0, 0, 0],
      [0, 0, 1, 1],
      [0, 1, 0, 0],
      [0, 0, 0, 0],
    ])
  })
})

describe('lifecycle', () => {
  const NOW = '2020-01-19T12:00:00Z'
  test('has four series, in order, of which the last is negative', async () => {
    const project = engine.project()
    const days = (person: string, ...on: number[]) =>
      on.map((day) => did(person, '$pageview', `2020-01-${String(day).padStart(2, '0')}`))
    await project.seed([
      ...days('p1', 11, 12, 13, 15, 17, 19),
      ...days('p2', 9, 12),
      ...days('p3', 12),
      ...days('p4', 15),
    ])
    await seedPersons(project.clickhouse, project.id, [
      { name: 'p1', createdAt: '2020-01-11T12:00:00Z' },
      { name: 'p2', createdAt: '2020-01-09T12:00:00Z' },
      { name: 'p3', createdAt: '2020-01-12T12:00:00Z' },
      { name: 'p4', createdAt: '2020-01-15T12:00:00Z' },
    ])
    const filter = {
      insight: 'LIFECYCLE',
      events: [{ id: '$pageview' }],
      date_from: '2020-01-12',
      date_to: '2020-01-19',
    }
    const result = resultOf(await project.legacy(NOW, filter), 'LifecycleQuery')
    const wire = lifecycleOnWire(result)
    expect(wire.map(({ label, status, data }) => [label, status, data])).toEqual([
      ['$pageview - new', 'new', [1, 0, 0, 1, 0, 0, 0, 0]],
      ['$pageview - returning', 'returning', [1, 1, 0, 0, 0, 0, 0, 0]],
      ['$pageview - resurrecting', 'resurrecting', [1, 0, 0, 1, 0, 1, 0, 1]],
      ['$pageview - dormant', 'dormant', [0, -2, -1, 0, -2, 0, -1, 0]],
    ])
    expect(wire[3]?.count).toBe(-6)
    expect(csvRowsOf(result)[4]).toEqual(['$pageview - dormant', 0, -2, -1, 0, -2, 0, -1, 0])
    const source = {
      kind: 'InsightActorsQuery',
      source: {
        kind: 'LifecycleQuery',
        series: [{ kind: 'EventsNode', event: '$pageview' }],
        dateRange: { date_from: '2020-01-12', date_to: '2020-01-19' },
      },
    }
    expect(await who(project, { ...source, status: 'dormant', day: '2020-01-13' }, NOW)).toEqual(ids('p2', 'p3'))
    expect(await who(project, { ...source, status: 'new', day: '2020-01-15' }, NOW)).toEqual(ids('p4'))
  })
})

describe('stickiness', () => {
  const NOW = '2020-01-04T12:00:00Z'
  const days = (person: string, ...on: number[]) => on.map((day) => did(person, 'watched', `2020-01-0${day}`))
  const FILTER = { insight: 'STICKINESS', events: [{ id: 'watched', math: 'dau' }], date_from: '2020-01-01' }
  test('counts in how many days they were active', async () => {
    const project = engine.project()
    await project.seed([...days('a', 1), ...days('b', 1, 3), ...days('c', 1, 2, 2, 4), ...days('d', 2)])
    const result = resultOf(await project.legacy(NOW, FILTER), 'StickinessQuery')
    expect(stickinessOnWire(result)[0]).toMatchObject({
      label: 'watched',
      count: 4,
      data: [2, 1, 1, 0],
      days: [1, 2, 3, 4],
      labels: ['1 day', '2 days', '3 days', '4 days'],
    })
    expect(csvRowsOf(result)).toEqual([
      ['series', '1 day', '2 days', '3 days', '4 days'],
      ['watched', 2, 1, 1, 0],
    ])
    const shown = resultOf(
      await project.legacy(NOW, { ...FILTER, insight: 'TRENDS', shown_as: 'Stickiness' }),
      'StickinessQuery',
    )
    expect(shown.series[0]?.data).toEqual([2, 1, 1, 0])
    const source = {
      kind: 'StickinessQuery',
      series: [{ kind: 'EventsNode', event: 'watched' }],
      dateRange: { date_from: '2020-01-01' },
    }
    expect(await who(project, { kind: 'InsightActorsQuery', source, day: 1 }, NOW)).toEqual(ids('a', 'd'))
    expect(await who(project, { kind: 'StickinessActorsQuery', source, day: 2, operator: 'gte' }, NOW)).toEqual(
      ids('b', 'c'),
    )
    const often = { ...source, stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } } }
    expect(resultOf(await project.query(NOW, often), 'StickinessQuery').series[0]?.data).toEqual([1, 0, 0, 0])
    const cumulative = { ...source, stickinessFilter: { computedAs: 'cumulative' } }
    expect(resultOf(await project.query(NOW, cumulative), 'StickinessQuery').series[0]?.data).toEqual([4, 2, 1, 0])
  })
})

describe('paths', () => {
  const NOW = '2021-05-02T12:00:00Z'
  const view = (person: string, minute: number, url: string) =>
    did(person, '$pageview', `2021-05-01T10:${String(minute).padStart(2, '0')}:00`, { $current_url: url })
  const VIEWS = [
    view('a', 0, '/'),
    view('a', 1, '/'),
    view('a', 2, '/about/'),
    view('a', 4, '/pricing'),
    view('b', 0, '/'),
    view('b', 4, '/about'),
    view('c', 0, '/pricing'),
    view('c', 31, '/about'),
    did('c', 'bought', '2021-05-01T10:35:00'),
  ]
  const FILTER = { insight: 'PATHS', include_event_types: ['$pageview'], date_from: '2021-05-01' }
  const edges = async (project: TestProject, more: object = {}) =>
    pathsOnWire(resultOf(await project.legacy(NOW, { ...FILTER, ...more }), 'PathsQuery'))

  test('go from item to item, until half an hour without any', async () => {
    const project = engine.project()
    await project.seed(VIEWS)
    expect(await edges(project)).toEqual([
      { source: '1_/', target: '2_/about', value: 2, average_conversion_time: 150_000 },
      { source: '2_/about', target: '3_/pricing', value: 1, average_conversion_time: 120_000 },
    ])
    expect(await edges(project, { include_event_types: undefined })).toContainEqual({
      source: '1_/about',
      target: '2_bought',
      value: 1,
      average_conversion_time: 240_000,
    })
    const answer = await project.legacy(NOW, { ...FILTER, edge_limit: 1 })
    expect(csvRowsOf(answer.result)).toEqual([
      ['source', 'target', 'value', 'average_conversion_time'],
      ['1_/', '2_/about', 2, 150_000],
    ])
  })

  test('can start and end somewhere, be cleaned and grouped, and lead to who took them', async () => {
    const project = engine.project()
    await project.seed(VIEWS)
    expect((await edges(project, { start_point: '/about' })).map(({ source }) => source)).toEqual(['1_/about'])
    expect((await edges(project, { end_point: '/about' })).map(({ target, value }) => [target, value])).toEqual([
      ['2_/about', 2],
    ])
    expect((await edges(project, { path_groupings: ['/a*'] })).map(({ target }) => target)).toEqual([
      '2_/a*',
      '3_/pricing',
    ])
    expect((await edges(project, { exclude_events: ['/about'] })).map(({ target }) => target)).toEqual(['2_/pricing'])
    expect(await edges(project, { min_edge_weight: 2 })).toHaveLength(1)
    const cleaned = { local_path_cleaning_filters: [{ alias: '/x', regex: '/(about|pricing)' }] }
    expect((await edges(project, cleaned)).map(({ target }) => target)).toEqual(['2_/x'])
    const source = (pathsFilter: object) => ({
      kind: 'InsightActorsQuery',
      source: {
        kind: 'PathsQuery',
        dateRange: { date_from: '2021-05-01' },
        pathsFilter: { includeEventTypes: ['$pageview'], ...pathsFilter },
      },
    })
    expect(await who(project, source({ pathStartKey: '1_/', pathEndKey: '2_/about' }), NOW)).toEqual(ids('a', 'b'))
    expect(await who(project, source({ pathDropoffKey: '2_/about' }), NOW)).toEqual(ids('b'))
  })
})
