/** Ways made of expressions, ways around a funnel, and what is left when only the heaviest edges are shown. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { personUuid } from '../../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../../test/support/insights/test-engine.ts'
import { readQuery } from '../../parse/read-query.ts'
import { runActors } from '../../run/actors.ts'

const NOW = '2024-03-05T00:00:00Z'
let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const at = (minutes: number) => new Date(Date.parse('2024-03-01T10:00:00Z') + minutes * 60_000).toISOString()
const did = (person: string, ...events: [name: string, minutes: number, properties?: object][]) =>
  events.map(([event, minutes, properties]) => ({
    event,
    distinctId: person,
    at: at(minutes),
    properties: (properties ?? {}) as never,
  }))
const edgesOf = async (project: TestProject, filter: object) =>
  resultOf(await project.legacy(NOW, { insight: 'PATHS', date_from: '2024-03-01', ...filter }), 'PathsQuery').edges.map(
    ({ source, target, value }) => `${source} > ${target}: ${value}`,
  )

describe('items', () => {
  test('can be what an expression says, of all events or of some', async () => {
    const project = engine.project()
    await project.seed([
      ...did('a', ['click', 0, { kind: 'Menu' }], ['$screen', 1, { $screen_name: 'Home', kind: 'x' }], ['click', 2]),
      ...did('b', ['click', 0, { kind: 'Menu' }], ['click', 1, { kind: 'Buy' }]),
    ])
    // Texts put together are never NULL: what is no item has to be said.
    const hogql = { paths_hogql_expression: "if(properties.kind is null, null, lower(properties.kind) || '!')" }
    expect(await edgesOf(project, { ...hogql, include_event_types: ['hogql'] })).toEqual([
      '1_menu! > 2_buy!: 1',
      '1_menu! > 2_x!: 1',
    ])
    expect(await edgesOf(project, { ...hogql, include_event_types: ['hogql', '$screen', 'custom_event'] })).toEqual([
      '1_menu! > 2_Home: 1',
      '1_menu! > 2_buy!: 1',
    ])
    await expect(edgesOf(project, { include_event_types: ['hogql'] })).rejects.toMatchObject({
      reason: 'required',
      path: ['pathsFilter', 'pathsHogQLExpression'],
    })
    await expect(
      edgesOf(project, { include_event_types: ['hogql'], paths_hogql_expression: 'count()' }),
    ).rejects.toThrow('sums up several events')
  })

  test('start and end are found with a slash at their end too', async () => {
    const project = engine.project()
    const view = (url: string) => ({ $current_url: url })
    await project.seed(
      did('a', ['$pageview', 0, view('/a/')], ['$pageview', 1, view('/b/')], ['$pageview', 2, view('/c')]),
    )
    expect(await edgesOf(project, { start_point: '/b/' })).toEqual(['1_/b > 2_/c: 1'])
    expect(await edgesOf(project, { end_point: '/b/', start_point: '/a' })).toEqual(['1_/a > 2_/b: 1'])
    expect(await edgesOf(project, { end_point: '/a', start_point: '/b' })).toEqual([])
  })
})

test('edges that nothing shown leads to are left out', async () => {
  const project = engine.project()
  await project.seed([
    ...did('a', ['one', 0], ['x', 1], ['end', 2]),
    ...did('b', ['two', 0], ['x', 1], ['end', 2]),
    ...did('c', ['three', 0], ['y', 1]),
  ])
  expect(await edgesOf(project, {})).toEqual(['2_x > 3_end: 2', '1_one > 2_x: 1', '1_three > 2_y: 1', '1_two > 2_x: 1'])
  expect(await edgesOf(project, { edge_limit: 1 })).toEqual([])
  expect(await edgesOf(project, { min_edge_weight: 2 })).toEqual([])
})

test('a half hour between two items begins a new way, less does not; the same item in a row is one stop', async () => {
  const project = engine.project()
  await project.seed(did('a', ['a', 0], ['a', 5], ['b', 34], ['c', 64]))
  const { edges } = resultOf(await project.legacy(NOW, { insight: 'PATHS', date_from: '2024-03-01' }), 'PathsQuery')
  expect(edges).toEqual([{ source: '1_a', target: '2_b', value: 1, average: 29 * 60_000 }])
})

describe('around a funnel', () => {
  let project: TestProject
  beforeAll(async () => {
    project = engine.project()
    await project.seed([
      ...did('a', ['land', 0], ['sign up', 10], ['tour', 20], ['pay', 90], ['thanks', 95]),
      ...did('b', ['ad', 0], ['sign up', 5], ['help', 8], ['leave', 12]),
      ...did('c', ['land', 0], ['leave', 1]),
      // Tries twice; the better try counts.
      ...did('d', ['sign up', 0], ['idle', 5], ['sign up', 3000], ['docs', 3010], ['pay', 3020], ['bye', 3030]),
    ])
  })
  const funnel = {
    events: [{ id: 'sign up' }, { id: 'pay', order: 1 }],
    date_from: '2024-03-01',
    funnel_window_days: 1,
  }
  const around = (funnel_paths: string, funnel_step?: number) =>
    edgesOf(project, { funnel_paths, funnel_filter: { ...funnel, funnel_step } })

  test('before a step: up to it, without a pause of half an hour ending the way', async () => {
    expect(await around('funnel_path_before_step', 2)).toEqual([
      '1_land > 2_sign up: 1',
      '1_sign up > 2_docs: 1',
      '1_sign up > 2_idle: 1',
      '2_docs > 3_pay: 1',
      '2_sign up > 3_tour: 1',
      '3_tour > 4_pay: 1',
    ])
  })

  test('between two steps', async () => {
    expect(await around('funnel_path_between_steps', 2)).toEqual([
      '1_sign up > 2_docs: 1',
      '1_sign up > 2_tour: 1',
      '2_docs > 3_pay: 1',
      '2_tour > 3_pay: 1',
    ])
  })

  test('after a step', async () => {
    expect(await around('funnel_path_after_step', 2)).toEqual(['1_pay > 2_bye: 1', '1_pay > 2_thanks: 1'])
    expect(await around('funnel_path_after_step', 1)).toContain('1_sign up > 2_help: 1')
  })

  test('of those who dropped out: before it, and after their window', async () => {
    expect(await around('funnel_path_before_step', -2)).toEqual(['1_ad > 2_sign up: 1'])
    expect(await around('funnel_path_after_step', -2)).toEqual([])
  })

  test('leads to who took the way', async () => {
    const source = {
      kind: 'InsightActorsQuery',
      source: {
        kind: 'PathsQuery',
        dateRange: { date_from: '2024-03-01' },
        pathsFilter: { pathEndKey: '2_tour' },
        funnelPathsFilter: {
          funnelPathType: 'funnel_path_between_steps',
          funnelStep: 2,
          funnelSource: {
            kind: 'FunnelsQuery',
            dateRange: { date_from: '2024-03-01' },
            series: ['sign up', 'pay'].map((event) => ({ kind: 'EventsNode', event })),
            funnelsFilter: { funnelWindowInterval: 1, funnelWindowIntervalUnit: 'day' },
          },
        },
      },
    }
    const { actors } = await runActors(project.context(NOW), readQuery(source) as never, { limit: 10, offset: 0 })
    expect(actors).toMatchObject([{ id: personUuid('a'), eventCount: 3 }])
  })

  test.each([
    ['funnel_path_after_step', undefined, 'around which step'],
    ['funnel_path_after_step', 3, 'around which step'],
    ['funnel_path_between_steps', 1, 'the later one'],
    ['funnel_path_nowhere', 1, 'funnelPathType'],
  ])('%s %s is refused', async (type, step, why) => {
    await expect(around(type, step)).rejects.toThrow(why)
  })
})
