import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SeedEvent, seedMerges } from '../../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../../test/support/insights/test-engine.ts'
import type { FunnelStep } from '../../../contract/results/index.ts'
import { csvRowsOf } from '../../wire/csv.ts'
import { queryEnvelope } from '../../wire/envelope.ts'
import { funnelOnWire } from './wire.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2021-06-01T00:00:00Z'
const did = (distinctId: string, event: string, at: string, properties = {}): SeedEvent => ({
  event,
  distinctId,
  at: at.length === 10 ? `${at}T00:00:00Z` : `${at}Z`,
  properties,
})
const named = (...names: string[]) => names.map((id, order) => ({ id, order }))

async function funnel(project: TestProject, filter: Record<string, unknown>, now = NOW) {
  const answer = await project.legacy(now, { insight: 'FUNNELS', ...filter })
  return funnelOnWire(resultOf(answer, 'FunnelsQuery')) as FunnelStep[]
}
const counts = (steps: readonly FunnelStep[]) => steps.map(({ count }) => count)
const ofValues = async (project: TestProject, filter: Record<string, unknown>) => {
  const lists = (await funnel(project, filter)) as unknown as FunnelStep[][]
  return Object.fromEntries(lists.map((steps) => [String(steps[0]?.breakdown_value), counts(steps)]))
}
const JANUARY = { date_from: '2020-01-01', date_to: '2020-01-08' }

describe('ordered steps', () => {
  const SHOP = [
    did('p1', 'sign up', '2020-01-01T12:00:00'),
    did('p1', 'play movie', '2020-01-01T13:00:00'),
    did('p1', 'buy', '2020-01-01T15:00:00'),
    did('p2', 'sign up', '2020-01-02T14:00:00'),
    did('p2', 'play movie', '2020-01-02T16:00:00'),
    did('p3', 'sign up', '2020-01-02T14:00:00'),
    did('p3', 'play movie', '2020-01-02T16:00:00'),
    did('p3', 'buy', '2020-01-02T17:00:00'),
  ]
  const SHOP_FUNNEL = { ...JANUARY, events: named('sign up', 'play movie', 'buy'), funnel_window_days: 7 }

  test('are counted with the time they took, and CSV says the same', async () => {
    const project = engine.project()
    await project.seed(SHOP)
    const answer = await project.legacy(NOW, { insight: 'FUNNELS', ...SHOP_FUNNEL })
    const result = resultOf(answer, 'FunnelsQuery')
    expect(funnelOnWire(result)).toEqual([
      {
        action_id: 'sign up',
        name: 'sign up',
        custom_name: null,
        order: 0,
        people: [],
        count: 3,
        type: 'events',
        average_conversion_time: null,
        median_conversion_time: null,
        total_median_conversion_time: null,
      },
      expect.objectContaining({ count: 3, average_conversion_time: 6000, median_conversion_time: 7200 }),
      expect.objectContaining({ count: 2, average_conversion_time: 5400, median_conversion_time: 5400 }),
    ])
    expect(csvRowsOf(result)).toEqual([
      ['step', 'name', 'count', 'average_conversion_time', 'median_conversion_time'],
      [1, 'sign up', 3, null, null],
      [2, 'play movie', 3, 6000, 7200],
      [3, 'buy', 2, 5400, 5400],
    ])
  })

  test('say how long half of those who came through took, which is no sum over the steps', async () => {
    const project = engine.project()
    await project.seed(SHOP)
    const answer = await project.legacy(NOW, { insight: 'FUNNELS', ...SHOP_FUNNEL })
    const steps = funnelOnWire(resultOf(answer, 'FunnelsQuery')) as FunnelStep[]
    // Both of those who bought took three hours; the medians of the steps are two hours and one and a half.
    expect(steps.map((step) => step.median_conversion_time)).toEqual([null, 7200, 5400])
    expect(steps.map((step) => step.total_median_conversion_time)).toEqual([null, 7200, 10_800])
    expect(queryEnvelope(answer)).toMatchObject({ total_median_conversion_time: 10_800 })
    const times = await project.legacy(NOW, {
      insight: 'FUNNELS',
      ...SHOP_FUNNEL,
      funnel_viz_type: 'time_to_convert',
    })
    expect(funnelOnWire(resultOf(times, 'FunnelsQuery'))).toMatchObject({ median_conversion_time: 10_800 })
  })

  test('only the best tries of an actor count for its times', async () => {
    const project = engine.project()
    const hours = (day: string, ...at: number[]) =>
      at.map((hour, i) =>
        did('u', ['one', 'two', 'three'][i] as string, `2021-05-${day}T${String(hour).padStart(2, '0')}:00:00`),
      )
    await project.seed([...hours('01', 1, 2, 3), ...hours('03', 4, 5), ...hours('04', 7, 10)])
    const steps = await funnel(project, {
      date_from: '2021-05-01',
      date_to: '2021-05-14',
      events: named('one', 'two', 'three'),
      funnel_window_interval: 1,
      funnel_window_interval_unit: 'day',
    })
    expect(counts(steps)).toEqual([1, 1, 1])
    expect(steps[1]?.average_conversion_time).toBe(3600)
  })

  test('different events of one instant are in order; the same event is not its own successor', async () => {
    const project = engine.project()
    await project.seed([
      did('u', 'sign up', '2020-01-03'),
      did('u', '$pageview', '2020-01-03'),
      did('v', '$pageview', '2020-01-03', { path: '/b' }),
      did('v', '$pageview', '2020-01-03', { path: '/a' }),
    ])
    expect(counts(await funnel(project, { ...JANUARY, events: named('sign up', '$pageview') }))).toEqual([1, 1])
    expect(counts(await funnel(project, { ...JANUARY, events: named('$pageview', 'sign up') }))).toEqual([2, 1])
    expect(counts(await funnel(project, { ...JANUARY, events: named('$pageview', '$pageview') }))).toEqual([2, 0])
    const page = (path: string) => ({ id: '$pageview', properties: [{ key: 'path', value: path }] })
    const pages = (...events: object[]) =>
      funnel(project, { ...JANUARY, events: events.map((each, order) => ({ ...each, order })) })
    expect(counts(await pages(page('/a'), page('/b')))).toEqual([1, 1])
    // The one page view at /b is any page and /b at once, but there is another view before it.
    expect(counts(await pages({ id: '$pageview' }, page('/b')))).toEqual([2, 1])
  })

  test('one event that satisfies two steps does only one of them', async () => {
    const project = engine.project()
    await project.seed([did('u', '$pageview', '2020-01-03', { path: '/b' })])
    const events = [
      { id: '$pageview', order: 0 },
      { id: '$pageview', order: 1, properties: [{ key: 'path', value: '/b' }] },
    ]
    expect(counts(await funnel(project, { ...JANUARY, events }))).toEqual([1, 0])
  })

  test('the end of the window still belongs to it, and months are months', async () => {
    const project = engine.project()
    await project.seed([
      did('u', 'a', '2020-01-02T10:00:00'),
      did('u', 'b', '2020-01-02T11:00:00'),
      did('v', 'a', '2020-01-02T10:00:00'),
      did('v', 'b', '2020-01-02T11:00:00.000001'),
      did('w', 'a', '2020-01-02T10:00:00'),
      did('w', 'b', '2020-02-02T10:00:00'),
    ])
    const within = (interval: number, unit: string) =>
      funnel(project, {
        date_from: '2020-01-01',
        date_to: '2020-03-01',
        events: named('a', 'b'),
        funnel_window_interval: interval,
        funnel_window_interval_unit: unit,
      })
    expect(counts(await within(1, 'hour'))).toEqual([3, 1])
    expect(counts(await within(30, 'day'))).toEqual([3, 2])
    expect(counts(await within(1, 'month'))).toEqual([3, 3])
  })

  test('no steps have no result, and steps outside the range do not count', async () => {
    const project = engine.project()
    await project.seed([did('u', 'a', '2019-12-31T23:59:59'), did('u', 'b', '2020-01-02')])
    expect(await funnel(project, JANUARY)).toEqual([])
    expect(counts(await funnel(project, { ...JANUARY, events: named('a', 'b') }))).toEqual([0, 0])
  })

  test('filters hold for all steps, and test accounts can be left out', async () => {
    const project = engine.project()
    const safari = { $browser: 'Safari' }
    await project.seed([
      did('a', 'sign up', '2020-01-02', safari),
      did('a', 'pay', '2020-01-03', safari),
      did('b', 'sign up', '2020-01-02'),
      did('b', 'pay', '2020-01-03'),
      did('c', 'sign up', '2020-01-02', safari),
      { ...did('c', 'pay', '2020-01-03'), personProperties: { email: 'c@test.com' } },
    ])
    const steps = { ...JANUARY, events: named('sign up', 'pay') }
    expect(counts(await funnel(project, { ...steps, properties: { $browser: 'Safari' } }))).toEqual([2, 1])
    const answer = await project.legacy(
      NOW,
      { insight: 'FUNNELS', ...steps, filter_test_accounts: true },
      { test_account_filters: [{ key: 'email', type: 'person', operator: 'not_icontains', value: '@test.com' }] },
    )
    expect(counts(funnelOnWire(resultOf(answer, 'FunnelsQuery')) as FunnelStep[])).toEqual([3, 2])
  })

  test('merged persons, groups and sessions are actors', async () => {
    const project = engine.project()
    await project.seed([
      { ...did('anon', 'a', '2020-01-02'), groups: { 0: 'acme' }, sessionId: 's1' },
      { ...did('user', 'b', '2020-01-03'), groups: { 0: 'acme' }, sessionId: 's2' },
      { ...did('user', 'a', '2020-01-04'), sessionId: 's2' },
    ])
    await seedMerges(project.clickhouse, project.id, [{ old: 'anon', survivor: 'user' }])
    const steps = { insight: 'FUNNELS', ...JANUARY, events: named('a', 'b') }
    const as = async (more: object) =>
      counts(
        funnelOnWire(
          resultOf(await project.legacy(NOW, { ...steps, ...more }, { hasOverrides: true }), 'FunnelsQuery'),
        ) as FunnelStep[],
      )
    expect(await as({})).toEqual([1, 1])
    expect(await as({ aggregation_group_type_index: 0 })).toEqual([1, 1])
    expect(await as({ funnel_aggregate_by_hogql: 'properties.$session_id' })).toEqual([2, 0])
  })
})

describe('exclusions', () => {
  const EXCLUDE = [{ id: 'x', type: 'events', funnel_from_step: 0, funnel_to_step: 1 }]
  const TRIES = [
    did('p1', 'one', '2021-05-01T01:00:00'),
    did('p1', 'two', '2021-05-01T02:00:00'),
    did('p2', 'one', '2021-05-01T03:00:00'),
    did('p2', 'x', '2021-05-01T03:30:00'),
    did('p2', 'two', '2021-05-01T04:00:00'),
    did('p3', 'one', '2021-05-01T05:00:00'),
    did('p3', 'two', '2021-05-01T06:00:00'),
  ]
  const MAY = { date_from: '2021-05-01', date_to: '2021-05-14', events: named('one', 'two') }

  test('take the actor out altogether, also from the first step', async () => {
    const project = engine.project()
    await project.seed(TRIES)
    expect(counts(await funnel(project, { ...MAY, exclusions: EXCLUDE }))).toEqual([2, 2])
    expect(counts(await funnel(project, { ...MAY, exclusions: EXCLUDE, funnel_order_type: 'unordered' }))).toEqual([
      3, 2,
    ])
  })

  test('another try of the same actor stands, and one at the very time of a step does not exclude', async () => {
    const project = engine.project()
    await project.seed([
      ...TRIES,
      did('p2', 'one', '2021-05-01T05:00:00'),
      did('p2', 'x', '2021-05-01T05:00:00'),
      did('p2', 'two', '2021-05-01T06:00:00'),
      did('p2', 'x', '2021-05-01T06:00:00'),
    ])
    expect(counts(await funnel(project, { ...MAY, exclusions: EXCLUDE }))).toEqual([3, 3])
  })

  test.each([
    ['a range that ends where it starts', { funnel_from_step: 1, funnel_to_step: 1 }],
    ['a range that starts at the last step', { funnel_from_step: 2, funnel_to_step: 3 }],
    ['a range past the last step', { funnel_from_step: 0, funnel_to_step: 3 }],
    ['no range', {}],
    ['a step of the range itself', { id: 'two', funnel_from_step: 0, funnel_to_step: 1 }],
  ])('are refused with %s', async (_, exclusion) => {
    const events = named('one', 'two', 'three')
    const asked = funnel(engine.project(), { ...MAY, events, exclusions: [{ id: 'x', type: 'events', ...exclusion }] })
    await expect(asked).rejects.toMatchObject({ name: 'InvalidQuery' })
  })

  test('must span all of an unordered funnel', async () => {
    const events = named('one', 'two', 'three')
    const asked = funnel(engine.project(), { ...MAY, events, exclusions: EXCLUDE, funnel_order_type: 'unordered' })
    await expect(asked).rejects.toMatchObject({ name: 'InvalidQuery' })
  })
})

describe('other orders', () => {
  const EVENTS = [
    did('u', 'a', '2020-01-02T10:00:00'),
    did('u', 'other', '2020-01-02T10:30:00'),
    did('u', 'b', '2020-01-02T11:00:00'),
    did('v', 'b', '2020-01-02T10:00:00'),
    did('v', 'a', '2020-01-02T11:00:00'),
    did('w', 'a', '2020-01-02T10:00:00'),
    did('w', 'b', '2020-01-02T12:00:00'),
  ]
  test('strict steps have nothing in between', async () => {
    const project = engine.project()
    await project.seed(EVENTS)
    const steps = await funnel(project, { ...JANUARY, events: named('a', 'b'), funnel_order_type: 'strict' })
    expect(counts(steps)).toEqual([3, 1])
    expect(steps[1]?.average_conversion_time).toBe(7200)
  })

  test('unordered steps come as they come, and have no names of their own', async () => {
    const project = engine.project()
    await project.seed(EVENTS)
    const steps = await funnel(project, { ...JANUARY, events: named('a', 'b'), funnel_order_type: 'unordered' })
    expect(counts(steps)).toEqual([3, 3])
    expect(steps.map(({ name, action_id }) => [name, action_id])).toEqual([
      ['Completed 1 step', null],
      ['Completed 2 steps', null],
    ])
    expect(steps[1]?.average_conversion_time).toBe((3600 + 3600 + 7200) / 3)
  })
})

describe('breakdowns', () => {
  const BROWSERS = [
    did('u', 'a', '2020-01-02T10:00:00', { $browser: 'Chrome' }),
    did('u', 'b', '2020-01-02T11:00:00', { $browser: 'Safari' }),
    did('v', 'a', '2020-01-02T10:00:00'),
    did('v', 'b', '2020-01-02T11:00:00', { $browser: 'Safari' }),
    did('w', 'a', '2020-01-02T10:00:00'),
  ]
  const BROKEN = { ...JANUARY, events: named('a', 'b'), breakdown: '$browser' }
  test.each([
    ['the first value', { breakdown_attribution_type: 'first_touch' }, { Chrome: [1, 1], Safari: [1, 1], '': [1, 0] }],
    ['the last value', { breakdown_attribution_type: 'last_touch' }, { Safari: [2, 2], '': [1, 0] }],
    ['the value of all events', { breakdown_attribution_type: 'all_events' }, { Chrome: [1, 0], '': [2, 0] }],
    ['the value at a step', { breakdown_attribution_type: 'step', breakdown_attribution_value: 1 }, { Safari: [2, 2] }],
    [
      'the value at the first step',
      { breakdown_attribution_type: 'step', breakdown_attribution_value: '0' },
      { Chrome: [1, 1], '': [2, 1] },
    ],
  ])('are attributed to %s', async (_, how, wanted) => {
    const project = engine.project()
    await project.seed(BROWSERS)
    expect(await ofValues(project, { ...BROKEN, ...how })).toEqual(wanted)
  })

  test('have one value for the rest', async () => {
    const project = engine.project()
    await project.seed(
      Array.from({ length: 5 }, (_, i) =>
        Array.from({ length: 5 - i }, (_, n) => did(`u${i}-${n}`, 'a', '2020-01-02', { $browser: `b${i}` })),
      ).flat(),
    )
    const limited = { ...JANUARY, events: named('a', 'b'), breakdown: '$browser', breakdown_limit: 2 }
    expect(await ofValues(project, limited)).toEqual({ b0: [5, 0], b1: [4, 0], Other: [6, 0] })
    const without = { ...limited, breakdown_hide_other_aggregation: true }
    expect(await ofValues(project, without)).toEqual({ b0: [5, 0], b1: [4, 0] })
    const answer = await project.legacy(NOW, { insight: 'FUNNELS', ...BROKEN, events: named('a'), breakdown_limit: 1 })
    expect(csvRowsOf(answer.result)).toEqual([
      ['breakdown', 'step', 'name', 'count', 'average_conversion_time', 'median_conversion_time'],
      ['b0', 1, 'a', 5, null, null],
      ['Other', 1, 'a', 10, null, null],
    ])
  })
})

describe('a property held constant', () => {
  test('must have the same value in every step', async () => {
    const project = engine.project()
    await project.seed([
      did('u', 'view', '2020-01-02T10:00:00', { product: 'shoe' }),
      did('u', 'buy', '2020-01-02T11:00:00', { product: 'shirt' }),
      did('v', 'view', '2020-01-02T10:00:00', { product: 'shoe' }),
      did('v', 'view', '2020-01-02T10:30:00', { product: 'shirt' }),
      did('v', 'buy', '2020-01-02T11:00:00', { product: 'shoe' }),
      did('w', 'view', '2020-01-02T10:00:00'),
      did('w', 'buy', '2020-01-02T11:00:00'),
    ])
    const steps = { ...JANUARY, events: named('view', 'buy') }
    expect(counts(await funnel(project, steps))).toEqual([3, 3])
    const held = await funnel(project, { ...steps, funnel_hold_constant: 'product' })
    expect(counts(held)).toEqual([2, 1])
    expect(held[1]?.average_conversion_time).toBe(3600)
  })
})

describe('time to convert', () => {
  const TIMES = [
    did('a', 'one', '2021-06-08T18:00:00'),
    did('a', 'two', '2021-06-08T19:00:00'),
    did('a', 'three', '2021-06-08T21:00:00'),
    did('b', 'one', '2021-06-09T13:00:00'),
    did('b', 'two', '2021-06-09T13:37:00'),
    did('c', 'one', '2021-06-11T07:00:00'),
    did('c', 'two', '2021-06-12T06:00:00'),
  ]
  const ASKED = {
    date_from: '2021-06-07',
    date_to: '2021-06-13',
    events: named('one', 'two', 'three'),
    funnel_window_days: 7,
    funnel_viz_type: 'time_to_convert',
    funnel_from_step: 0,
    funnel_to_step: 1,
  }
  const times = async (more: object) => {
    const project = engine.project()
    await project.seed(TIMES)
    return (await funnel(project, { ...ASKED, ...more }, '2021-06-13T12:00:00Z')) as unknown
  }
  test('is counted in bins made for the number of samples', async () => {
    expect(await times({})).toMatchObject({
      bins: [
        [2220, 2],
        [42510, 0],
        [82800, 1],
      ],
      average_conversion_time: 29540,
    })
  })
  test('is counted in as many bins as asked for', async () => {
    expect(await times({ bin_count: 7 })).toMatchObject({
      bins: [
        [2220, 2],
        [13732, 0],
        [25244, 0],
        [36756, 0],
        [48268, 0],
        [59780, 0],
        [71292, 1],
        [82804, 0],
      ],
    })
  })
  test('of one sample has bins of a minute; of nobody none', async () => {
    expect(await times({ funnel_to_step: 2 })).toMatchObject({
      bins: [
        [10800, 1],
        [10860, 0],
      ],
      average_conversion_time: 10800,
    })
    expect(await times({ date_from: '2021-06-13' })).toMatchObject({ bins: [], average_conversion_time: null })
  })
})

describe('the rate of conversion over time', () => {
  test('belongs to the interval in which a try began, once an actor', async () => {
    const project = engine.project()
    await project.seed([
      did('u', 'a', '2020-01-02T10:00:00'),
      did('u', 'a', '2020-01-02T12:00:00'),
      did('u', 'b', '2020-01-04T11:00:00'),
      did('v', 'a', '2020-01-02T10:00:00'),
      did('w', 'a', '2020-01-03T10:00:00'),
      did('w', 'b', '2020-01-03T11:00:00'),
      did('x', 'a', '2020-01-02T10:00:00'),
    ])
    const answer = await project.legacy(NOW, {
      insight: 'FUNNELS',
      date_from: '2020-01-01',
      date_to: '2020-01-04',
      events: named('a', 'b'),
      funnel_viz_type: 'trends',
      interval: 'day',
    })
    expect(funnelOnWire(resultOf(answer, 'FunnelsQuery'))).toEqual([
      {
        count: 4,
        data: [0, 33.33, 100, 0],
        days: ['2020-01-01', '2020-01-02', '2020-01-03', '2020-01-04'],
        labels: ['1-Jan-2020', '2-Jan-2020', '3-Jan-2020', '4-Jan-2020'],
      },
    ])
    expect(csvRowsOf(answer.result)[1]).toEqual(['conversion', 0, 33.33, 100, 0])
  })
})
