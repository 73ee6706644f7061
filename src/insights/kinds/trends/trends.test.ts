import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SeedEvent, seedGroups, seedMerges } from '../../../../test/support/insights/seed.ts'
import {
  asTrends,
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../../test/support/insights/test-engine.ts'
import { nextOffset } from './result.ts'
import { trendsOnWire } from './wire.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine()
})
afterAll(() => engine.stop())

const NOW = '2020-01-04T13:00:01Z'
const signUp = (at: string, distinctId: string, properties = {}): SeedEvent => ({
  event: 'sign up',
  distinctId,
  person: distinctId === 'anonymous_id' ? 'blabla' : distinctId,
  at: `${at}T12:00:00Z`,
  properties,
})

/** One person under two ids, with and without a property. */
const FIXTURE_Y: SeedEvent[] = [
  signUp('2019-12-24', 'blabla', { $some_property: 'value' }),
  signUp('2020-01-01', 'blabla', { $some_property: 'value' }),
  signUp('2020-01-01', 'anonymous_id'),
  signUp('2020-01-01', 'blabla'),
  signUp('2020-01-02', 'blabla', { $some_property: 'other_value', $some_numerical_prop: 80 }),
  { event: 'no events', distinctId: 'blabla', at: '2020-01-02T12:00:00Z' },
]

async function trend(project: TestProject, filter: Record<string, unknown>, now = NOW) {
  return trendsOnWire(resultOf(await project.legacy(now, filter), 'TrendsQuery'))
}

describe('a trend by day', () => {
  test('counts the events of each of eight days when no range is given', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const [series, ...rest] = await trend(project, { events: [{ id: 'sign up' }] })
    expect(rest).toEqual([])
    expect(series?.label).toBe('sign up')
    expect(series?.data).toEqual([0, 0, 0, 0, 3, 1, 0, 0])
    expect(series?.count).toBe(4)
    expect(series?.labels?.[4]).toBe('1-Jan-2020')
    expect(series?.days[5]).toBe('2020-01-02')
  })

  test('adds up for the cumulative display', async () => {
    const project = engine.project()
    await project.seed([...FIXTURE_Y, { ...signUp('2020-01-03', 'new_user'), at: '2020-01-03T13:00:01Z' }])
    const filter = { display: 'ActionsLineGraphCumulative', date_from: '-7d' }
    const [total] = await trend(project, { ...filter, events: [{ id: 'sign up' }] })
    expect(total?.data?.slice(4)).toEqual([3, 4, 5, 5])
    const [unique] = await trend(project, { ...filter, events: [{ id: 'sign up', math: 'dau' }] })
    expect(unique?.data).toEqual([0, 0, 0, 0, 1, 1, 2, 2])
    expect(unique?.count).toBe(2)
  })
})

describe('ranges and names', () => {
  test('hours back cut the first day at the hour, and days stay the buckets', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const [series] = await trend(project, { events: [{ id: 'sign up' }], date_from: '-48h' }, '2020-01-03T13:00:01Z')
    expect(series?.labels?.[1]).toBe('2-Jan-2020')
    expect(series?.data?.[1]).toBe(1)
    expect(series?.data?.[0]).toBe(0)
  })

  test('an unknown event has eight zeros; an action or nothing at all has no series', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const [series] = await trend(project, { events: [{ id: 'DNE' }] })
    expect(series?.data).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(await trend(project, { actions: [{ id: 50_000_000 }] })).toEqual([])
    expect(await trend(project, {})).toEqual([])
  })

  test('a series without a name is about all events', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const [series] = await trend(project, { events: [{ id: null }] })
    expect(series?.label).toBe('All events')
    expect(series?.data?.[5]).toBe(2)
  })

  test('weeks, months and hours have labels of their own', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const events = [{ id: 'sign up' }]
    const [weeks] = await trend(project, { events, date_from: '2019-11-24', interval: 'week' })
    expect(weeks?.labels).toEqual([
      '24–30 Nov',
      '1–7 Dec',
      '8–14 Dec',
      '15–21 Dec',
      '22–28 Dec',
      '29-Dec-2019 – 4-Jan-2020',
    ])
    expect(weeks?.data).toEqual([0, 0, 0, 0, 1, 4])
    expect(weeks?.days[5]).toBe('2019-12-29')
    // A week is counted whole, and its label says so, wherever in it the range begins; not so at an explicit time.
    const inside = { events, date_from: '2020-01-02', interval: 'week' }
    const [whole] = await trend(project, inside)
    const [exact] = await trend(project, { ...inside, explicit_date: true })
    expect([whole?.labels?.[0], exact?.labels?.[0]]).toEqual(['29-Dec-2019 – 4-Jan-2020', '2–4 Jan'])
    expect([whole?.data, exact?.data]).toEqual([[4], [1]])
    const [months] = await trend(project, { events, date_from: '-60d', interval: 'month' })
    expect(months?.labels).toEqual(['Nov 2019', 'Dec 2019', 'Jan 2020'])
    expect(months?.data).toEqual([0, 1, 4])
    const [hours] = await trend(project, {
      events,
      date_from: '2019-12-24',
      date_to: '2019-12-24T23:00',
      interval: 'hour',
    })
    expect(hours?.labels?.[3]).toBe('24-Dec 03:00')
    expect(hours?.days[3]).toBe('2019-12-24 03:00:00')
    expect(hours?.data?.[12]).toBe(1)
    expect(hours?.data).toHaveLength(24)
    const [minutes] = await trend(project, {
      events,
      date_from: '2019-12-24T11:59',
      date_to: '2019-12-24T12:01',
      interval: 'minute',
    })
    expect(minutes?.data).toEqual([0, 1, 0])
  })
})

describe('maths', () => {
  test('of several first events at one instant, one that fits the filters counts', async () => {
    const project = engine.project()
    const at = '2020-01-02T00:00:00Z'
    await project.seed(
      ['free', 'pro', 'team'].map((plan) => ({ event: 'buy', distinctId: 'a', at, properties: { plan } })),
    )
    const events = [{ id: 'buy', math: 'first_time_for_user', properties: [{ key: 'plan', value: 'pro' }] }]
    const [series] = await trend(project, { events, date_from: '2020-01-01', date_to: '2020-01-03' })
    expect(series?.data).toEqual([0, 1, 0])
  })

  test('each counts what it says', async () => {
    const project = engine.project()
    const at = (day: number, user: string, x: number | string | null, more: Partial<SeedEvent> = {}): SeedEvent => ({
      event: 'buy',
      distinctId: user,
      at: `2020-01-0${day}T10:00:00Z`,
      properties: x === null ? {} : { x },
      ...more,
    })
    await project.seed([
      at(1, 'a', 1, { sessionId: 's1', groups: { 0: 'org1' } }),
      at(1, 'a', 2, { sessionId: 's1', groups: { 0: 'org1' } }),
      at(1, 'b', '4', { sessionId: 's2', groups: { 0: 'org2' } }),
      at(1, 'c', 'text'),
      at(2, 'a', null),
      at(3, 'd', 10.5),
    ])
    const data = async (math: string, more: Record<string, unknown> = {}) => {
      const events = [{ id: 'buy', math, math_property: 'x', math_group_type_index: 0 }]
      const [series] = await trend(project, { events, date_from: '2020-01-01', date_to: '2020-01-04', ...more })
      return more.display === 'BoldNumber' ? series?.aggregated_value : series?.data
    }
    expect(await data('total')).toEqual([4, 1, 1, 0])
    expect(await data('dau')).toEqual([3, 1, 1, 0])
    expect(await data('unique_session')).toEqual([3, 1, 1, 0])
    expect(await data('unique_group')).toEqual([2, 0, 0, 0])
    expect(await data('sum')).toEqual([7, 0, 10.5, 0])
    expect(await data('avg')).toEqual([7 / 3, 0, 10.5, 0])
    expect(await data('min')).toEqual([1, 0, 10.5, 0])
    expect(await data('max')).toEqual([4, 0, 10.5, 0])
    expect(await data('median')).toEqual([2, 0, 10.5, 0])
    expect(await data('p75')).toEqual([3, 0, 10.5, 0])
    expect((await data('p90')) as number[]).toEqual([expect.closeTo(3.6, 10), 0, 10.5, 0])
    expect(await data('avg_count_per_actor')).toEqual([4 / 3, 1, 1, 0])
    expect(await data('max_count_per_actor')).toEqual([2, 1, 1, 0])
    expect(await data('median_count_per_actor')).toEqual([1, 1, 1, 0])
    expect(await data('weekly_active')).toEqual([3, 3, 4, 4])
    expect(await data('monthly_active')).toEqual([3, 3, 4, 4])
    expect(await data('weekly_active', { interval: 'week' })).toEqual([4])
    expect(await data('first_time_for_user')).toEqual([3, 0, 1, 0])
    expect(await data('total', { display: 'BoldNumber' })).toBe(6)
    expect(await data('dau', { display: 'BoldNumber' })).toBe(4)
    expect(await data('weekly_active', { display: 'BoldNumber' })).toBe(4)
    expect(await data('avg', { display: 'BoldNumber' })).toBe(17.5 / 4)
    const hourly = await data('weekly_active', { interval: 'hour', date_to: '2020-01-01T23:00' })
    expect(hourly).toHaveLength(24)
  })

  test('the session math has one value a session and bucket', async () => {
    const project = engine.project()
    const at = (time: string, sessionId: string): SeedEvent => ({ event: 'view', distinctId: 'a', at: time, sessionId })
    await project.seed([
      at('2020-01-01T10:00:00Z', 's1'),
      at('2020-01-01T10:01:00Z', 's1'),
      at('2020-01-01T11:00:00Z', 's2'),
      at('2020-01-01T11:00:30Z', 's2'),
      at('2020-01-01T11:00:30Z', ''),
    ])
    const events = [{ id: 'view', math: 'avg', math_property: '$session_duration' }]
    const [series] = await trend(project, { events, date_from: '2020-01-01', date_to: '2020-01-01' })
    expect(series?.data).toEqual([45])
  })

  test('a first time is the first ever by that name, whatever the filters', async () => {
    const project = engine.project()
    await project.seed([
      { event: 'buy', distinctId: 'a', at: '2019-12-01T00:00:00Z', properties: { plan: 'free' } },
      { event: 'buy', distinctId: 'a', at: '2020-01-02T00:00:00Z', properties: { plan: 'pro' } },
      { event: 'buy', distinctId: 'b', at: '2020-01-02T00:00:00Z', properties: { plan: 'pro' } },
    ])
    const range = { date_from: '2020-01-01', date_to: '2020-01-03' }
    const properties = [{ key: 'plan', value: 'pro' }]
    const first = (math: string) => trend(project, { ...range, events: [{ id: 'buy', math, properties }] })
    expect((await first('first_time_for_user'))[0]?.data).toEqual([0, 1, 0])
    expect((await first('first_matching_event_for_user'))[0]?.data).toEqual([0, 2, 0])
  })
})

describe('breakdowns', () => {
  test('more values than the limit end in one more series', async () => {
    const project = engine.project()
    await project.seed(
      Array.from({ length: 30 }, (_, index) => ({
        event: 'event_name',
        distinctId: 'p',
        at: '2020-01-11T12:00:00Z',
        properties: { breakdown_value: String(index) },
      })),
    )
    const cut = (more: Record<string, unknown>) =>
      trend(project, {
        events: [{ id: 'event_name' }],
        date_from: '2020-01-09',
        date_to: '2020-01-20',
        breakdown: 'breakdown_value',
        ...more,
      })
    expect(await cut({})).toHaveLength(26)
    const limited = await cut({ breakdown_limit: 10 })
    expect(limited).toHaveLength(11)
    expect(limited.at(-1)?.breakdown_value).toBe('$$_posthog_breakdown_other_$$')
    expect(limited.at(-1)?.count).toBe(20)
    expect(await cut({ breakdown_limit: 10, breakdown_hide_other_aggregation: true })).toHaveLength(10)
  })

  test('come in pages, each leading to the next until every value was shown', async () => {
    const project = engine.project()
    const seeds = Array.from({ length: 25 }, (_, index) => ({
      event: 'e',
      distinctId: 'p',
      at: NOW,
      properties: { v: index },
    }))
    await project.seed(seeds)
    const seen = new Set<unknown>()
    const offsets: number[] = []
    for (let offset: number | null = 0; offset !== null && offsets.length < 10; ) {
      offsets.push(offset)
      const answer = await project.legacy(NOW, { events: [{ id: 'e' }], breakdown: 'v', breakdown_limit: '10', offset })
      const values = trendsOnWire(asTrends(answer.result)).map(({ breakdown_value }) => breakdown_value)
      for (const value of values) if (value !== '$$_posthog_breakdown_other_$$') seen.add(value)
      offset = nextOffset(asTrends(answer.result))
    }
    expect(offsets).toEqual([0, 10, 20])
    expect(seen.size).toBe(25)
  })

  test('of cumulative unique users count everyone so far for each value', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const series = await trend(project, {
      events: [{ id: 'sign up', math: 'dau' }],
      display: 'ActionsLineGraphCumulative',
      breakdown: '$some_property',
    })
    expect(series.map(({ label, data }) => [label, data])).toEqual([
      ['value', [0, 0, 0, 0, 1, 1, 1, 1]],
      ['other_value', [0, 0, 0, 0, 0, 1, 1, 1]],
      ['$$_posthog_breakdown_null_$$', [0, 0, 0, 0, 1, 1, 1, 1]],
    ])
  })

  test('show the exact text that was sent', async () => {
    const project = engine.project()
    const values = ['2020-01-01', '2020-01-01T00:00:00Z', '1.0', 'true', '007', 'it\'s "quoted" \\', 'naïve ☃']
    await project.seed([
      ...values.map((value) => ({ event: 'e', distinctId: 'a', at: NOW, properties: { p: value } })),
      { event: 'e', distinctId: 'a', at: NOW, properties: { p: true } },
      { event: 'e', distinctId: 'a', at: NOW, properties: { p: 0.1 } },
      { event: 'e', distinctId: 'a', at: NOW, properties: { p: [1, 'x'] } },
      { event: 'e', distinctId: 'a', at: NOW, properties: { p: '\uE0F712345678901234567890123' } },
    ])
    const series = await trend(project, { events: [{ id: 'e' }], breakdown: 'p' })
    const counts = Object.fromEntries(series.map((each) => [each.breakdown_value, each.count]))
    expect(counts).toEqual({
      ...Object.fromEntries(values.map((value) => [value, 1])),
      true: 2,
      '0.1': 1,
      '[1,"x"]': 1,
      '12345678901234567890123': 1,
    })
  })

  test('several at once, of persons and groups, and URLs without their ends', async () => {
    const project = engine.project()
    await seedGroups(project.clickhouse, project.id, [
      { index: 0, key: 'org1', properties: { industry: 'old' }, version: 1 },
      { index: 0, key: 'org1', properties: { industry: 'retail' }, version: 2 },
    ])
    await project.seed([
      {
        event: 'e',
        distinctId: 'a',
        at: NOW,
        properties: { url: 'https://x.io/a/' },
        personProperties: { plan: 'pro' },
        groups: { 0: 'org1' },
      },
      {
        event: 'e',
        distinctId: 'a',
        at: NOW,
        properties: { url: 'https://x.io/a?#' },
        personProperties: { plan: 'free' },
        groups: { 0: 'org1' },
      },
      { event: 'e', distinctId: 'b', at: NOW, properties: { url: '/' } },
    ])
    const events = [{ id: 'e' }]
    const several = await trend(project, {
      events,
      breakdowns: [
        { property: 'plan', type: 'person' },
        { property: 'url', normalize_url: true },
      ],
    })
    expect(several.map(({ breakdown_value, label }) => [breakdown_value, label])).toEqual([
      [['$$_posthog_breakdown_null_$$', '/'], '$$_posthog_breakdown_null_$$::/'],
      [['free', 'https://x.io/a'], 'free::https://x.io/a'],
      [['pro', 'https://x.io/a'], 'pro::https://x.io/a'],
    ])
    const groups = await trend(project, {
      events,
      breakdown: 'industry',
      breakdown_type: 'group',
      breakdown_group_type_index: 0,
    })
    expect(groups.map(({ label, count }) => [label, count])).toEqual([
      ['retail', 2],
      ['$$_posthog_breakdown_null_$$', 1],
    ])
  })

  test('in bins of numbers', async () => {
    const project = engine.project()
    await project.seed([1, 2, 3, 4, 4, 'x'].map((n) => ({ event: 'e', distinctId: 'a', at: NOW, properties: { n } })))
    const series = await trend(project, { events: [{ id: 'e' }], breakdown: 'n', breakdown_histogram_bin_count: 2 })
    expect(series.map(({ label, count }) => [label, count])).toEqual([
      ['[2.5,4.01]', 3],
      ['[1,2.5]', 2],
      ['$$_posthog_breakdown_null_$$', 1],
    ])
  })
})

describe('formulas, comparison, smoothing', () => {
  test('a formula is not rounded, and a division by zero is 0', async () => {
    const project = engine.project()
    const at = '2020-01-11T12:00:00Z'
    await project.seed([
      { event: '$pageleave', distinctId: 'a', at },
      ...['a', 'b', 'c'].map((distinctId) => ({ event: '$pageview', distinctId, at })),
    ])
    const [series, ...rest] = await trend(project, {
      events: [{ id: '$pageview' }, { id: '$pageleave' }],
      formula: 'B/A',
      date_from: '2020-01-10',
      date_to: '2020-01-11',
    })
    expect(rest).toEqual([])
    expect(series).toMatchObject({ action: null, label: 'Formula (B/A)', data: [0, 1 / 3], count: 1 / 3 })
  })

  test('a comparison answers the current period first, then the one before', async () => {
    const project = engine.project()
    await project.seed([...FIXTURE_Y, signUp('2019-12-25', 'blabla')])
    const series = await trend(project, { events: [{ id: 'sign up' }], compare: 'true', date_from: '-7d' })
    expect(
      series.map((each) => [each.compare, each.compare_label, each.days[0], each.days.at(-1), each.count]),
    ).toEqual([
      [true, 'current', '2019-12-28', '2020-01-04', 4],
      [true, 'previous', '2019-12-21', '2019-12-28', 2],
    ])
    const [, weekBefore] = await trend(project, {
      events: [{ id: 'sign up' }],
      compare: true,
      compare_to: '-1w',
      date_from: '-3d',
    })
    expect([weekBefore?.days[0], weekBefore?.days.at(-1)]).toEqual(['2019-12-25', '2019-12-28'])
  })

  test('smoothing takes whole numbers of the mean over the intervals before', async () => {
    const project = engine.project()
    await project.seed(FIXTURE_Y)
    const [series] = await trend(project, { events: [{ id: 'sign up' }], smoothing_intervals: '3' })
    expect(series?.data).toEqual([0, 0, 0, 0, 1, 1, 1, 0])
  })
})

describe('merged persons', () => {
  test('count as one, and the latest word on a merge wins', async () => {
    const project = engine.project()
    await project.seed(['a', 'b', 'c'].map((distinctId) => ({ event: 'e', distinctId, at: NOW })))
    await seedMerges(project.clickhouse, project.id, [
      { old: 'a', survivor: 'b' },
      { old: 'c', survivor: 'b', version: 1 },
      { old: 'c', survivor: 'b', version: 2, deleted: true },
    ])
    const answer = await project.legacy(NOW, { events: [{ id: 'e', math: 'dau' }] }, { hasOverrides: true })
    expect(trendsOnWire(resultOf(answer, 'TrendsQuery'))[0]?.data?.at(-1)).toBe(2)
  })
})
