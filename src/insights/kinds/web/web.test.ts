import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SeedEvent, seedMerges } from '../../../../test/support/insights/seed.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../../test/support/insights/test-engine.ts'
import { drawn } from '../../../../test/support/random.ts'
import { querySchema } from '../../../contract/queries/index.ts'
import { webAnswerSchemas } from '../../../contract/results/index.ts'
import { sql, uint } from '../../../engines/clickhouse-sql.ts'
import { groupBy } from '../../../lib/group-by.ts'
import type { JsonObject } from '../../../lib/json.ts'
import { isAnsweredHere, isWebQuery, runWeb, webEnvelope, webTogether } from './run.ts'

let engine: TestEngine
let project: TestProject
const NOW = '2024-05-31T12:00:00Z'

const page = (
  sessionId: string,
  distinctId: string,
  at: string,
  pathname: string,
  more: JsonObject = {},
): SeedEvent => ({
  event: '$pageview',
  distinctId,
  sessionId,
  at,
  properties: { $current_url: `https://site.test${pathname}`, $pathname: pathname, $host: 'site.test', ...more },
})
const CHROME = {
  $browser: 'Chrome',
  $os: 'Linux',
  $device_type: 'Desktop',
  $geoip_country_code: 'FR',
  $geoip_city_name: 'Paris',
}
const SAFARI = { $browser: 'Safari', $os: 'iOS', $device_type: 'Mobile', $geoip_country_code: 'DE' }
const SEARCH = { $referring_domain: 'www.google.com' }
const DIRECT = { $referring_domain: '$direct' }

beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  await project.seed([
    // ada: two pages in 60 s, from a search, and she buys.
    page('s1', 'ada', '2024-05-30T10:00:00Z', '/', { ...CHROME, ...SEARCH, utm_source: 'google' }),
    page('s1', 'ada', '2024-05-30T10:01:00Z', '/pricing', {
      ...CHROME,
      ...SEARCH,
      $prev_pageview_pathname: '/',
      $prev_pageview_max_content_percentage: 0.9,
      $prev_pageview_duration: 60,
    }),
    { event: 'bought', distinctId: 'ada', sessionId: 's1', at: '2024-05-30T10:01:00Z', properties: {} },
    // bob: one page and away.
    page('s2', 'bob', '2024-05-30T11:00:00Z', '/', { ...SAFARI, ...DIRECT }),
    // ada again, later, over midnight.
    page('s3', 'ada', '2024-05-30T23:59:50Z', '/docs/12', { ...CHROME, ...DIRECT }),
    page('s3', 'ada', '2024-05-31T00:00:30Z', '/docs/13', { ...CHROME, ...DIRECT }),
    {
      event: '$autocapture',
      distinctId: 'ada',
      sessionId: 's3',
      at: '2024-05-31T00:00:31Z',
      properties: { $external_click_url: 'https://other.test/a?b=1' },
    },
    // a bot
    page('s4', 'crawler', '2024-05-30T12:00:00Z', '/', { ...CHROME, ...DIRECT, $is_bot: true, $bot_reason: 'ua' }),
    // the week before
    page('s5', 'bob', '2024-05-22T11:00:00Z', '/', { ...SAFARI, ...DIRECT }),
    // web vitals
    {
      event: '$web_vitals',
      distinctId: 'ada',
      sessionId: 's1',
      at: '2024-05-30T10:00:10Z',
      properties: { $pathname: '/', $current_url: 'https://site.test/', $web_vitals_LCP_value: 5000 },
    },
    {
      event: '$web_vitals',
      distinctId: 'bob',
      sessionId: '',
      at: '2024-05-30T11:00:01Z',
      properties: { $pathname: '/pricing', $current_url: 'https://site.test/', $web_vitals_LCP_value: 1000 },
    },
    // a session without pages does not count
    { event: 'job', distinctId: 'server', sessionId: 's6', at: '2024-05-30T11:00:00Z', properties: {} },
  ])
})
afterAll(() => engine.stop())

async function answer(node: JsonObject, more: Parameters<TestProject['context']>[1] = {}) {
  const query = querySchema.parse({ dateRange: { date_from: '-7d' }, ...node })
  if (!isWebQuery(query) || query.kind === 'WebVitalsQuery') throw new Error('not answered here')
  const found = await runWeb(project.context(NOW, more), query)
  const sent = webEnvelope(found, { isCached: false, lastRefresh: 0, explain: false })
  // As it goes over the wire.
  return webAnswerSchemas[query.kind].parse(JSON.parse(JSON.stringify(sent)))
}
const overview = async (node: JsonObject = {}, more: Parameters<TestProject['context']>[1] = {}) => {
  const found = (await answer({ kind: 'WebOverviewQuery', ...node }, more)) as unknown as {
    results: { key: string; value: number; previous: number }[]
    hidden_bots: unknown
  }
  return { ...found, values: Object.fromEntries(found.results.map(({ key, value }) => [key, value])) }
}
const table = async (breakdownBy: string, node: JsonObject = {}) =>
  ((await answer({ kind: 'WebStatsTableQuery', breakdownBy, ...node })) as unknown as { results: unknown[] }).results

describe('the overview', () => {
  it('counts sessions that began in the range, without bots, and says how many of those there were', async () => {
    const { values, hidden_bots } = await overview()
    expect(values).toEqual({
      visitors: 2,
      views: 5,
      sessions: 3,
      'session duration': expect.closeTo((60 + 0 + 41) / 3),
      'bounce rate': expect.closeTo(100 / 3),
    })
    expect(hidden_bots).toEqual({ sessions: 1, views: 1, reasons: { ua: 1 } })
    expect((await overview({ bots: 'include' })).values.sessions).toBe(4)
    expect((await overview({ bots: 'only' })).values.sessions).toBe(1)
  })

  it('compares with the period before, of its own project', async () => {
    await engine.project().seed([page('other', 'zoe', '2024-05-22T11:00:00Z', '/', CHROME)])
    const { results } = await overview({ compareFilter: { compare: true } })
    expect(results.find(({ key }) => key === 'visitors')).toMatchObject({
      value: 2,
      previous: 1,
      changeFromPreviousPct: 100,
    })
  })

  it.each([
    [
      'a session property',
      { key: '$channel_type', type: 'session', value: 'Organic Search' },
      { visitors: 1, views: 2, sessions: 1 },
    ],
    ['a country', { key: '$geoip_country_code', type: 'event', value: 'DE' }, { visitors: 1, views: 1, sessions: 1 }],
    ['a page', { key: '$pathname', type: 'event', value: '/pricing' }, { visitors: 1, views: 1, sessions: 1 }],
    ['a bounce', { key: '$is_bounce', type: 'session', value: 'true' }, { visitors: 1, views: 1, sessions: 1 }],
  ])('is about sessions with %s', async (_, filter, expected) => {
    expect((await overview({ properties: [filter] })).values).toMatchObject(expected)
  })

  it('counts conversions', async () => {
    const { values } = await overview({ conversionGoal: { customEventName: 'bought' } })
    expect(values).toEqual({ visitors: 2, 'total conversions': 1, 'unique conversions': 1, 'conversion rate': 50 })
  })

  it('counts merged persons once', async () => {
    await seedMerges(project.clickhouse, project.id, [{ old: 'bob', survivor: 'ada' }])
    expect((await overview({}, { hasOverrides: true })).values).toMatchObject({ visitors: 1, sessions: 3, views: 5 })
  })
})

describe('tables', () => {
  it.each([
    [
      'InitialChannelType',
      [
        ['Organic Search', [1, null], [2, null]],
        ['Direct', [2, null], [3, null]],
      ],
    ],
    [
      'InitialPage',
      [
        ['/', [2, null], [3, null]],
        ['/docs/12', [1, null], [2, null]],
      ],
    ],
    [
      'ExitPage',
      [
        ['/pricing', [1, null], [2, null]],
        ['/docs/13', [1, null], [2, null]],
        ['/', [1, null], [1, null]],
      ],
    ],
    [
      'Country',
      [
        ['FR', [1, null], [4, null]],
        ['DE', [1, null], [1, null]],
      ],
    ],
    [
      'City',
      [
        [
          ['FR', 'Paris'],
          [1, null],
          [4, null],
        ],
        [
          ['DE', null],
          [1, null],
          [1, null],
        ],
      ],
    ],
    [
      'InitialUTMSource',
      [
        ['google', [1, null], [2, null]],
        [null, [2, null], [3, null]],
      ],
    ],
    [
      'InitialUTMSourceMediumCampaign',
      [
        ['google / (none) / (none)', [1, null], [2, null]],
        ['(none) / (none) / (none)', [2, null], [3, null]],
      ],
    ],
    [
      'Page',
      [
        ['/', [2, null], [2, null]],
        ['/docs/12', [1, null], [1, null]],
        ['/docs/13', [1, null], [1, null]],
        ['/pricing', [1, null], [1, null]],
      ],
    ],
    [
      'WeekdayHour',
      [
        ['4 10', [1, null], [2, null]],
        ['4 11', [1, null], [1, null]],
        ['4 23', [1, null], [1, null]],
        ['5 00', [1, null], [1, null]],
      ],
    ],
    ['ExitClick', [['https://other.test/a?b=1', [1, null], [1, null]]]],
    [
      'PreviousPage',
      [
        ['$direct', [2, null], [3, null]],
        ['/', [1, null], [1, null]],
        ['www.google.com', [1, null], [1, null]],
      ],
    ],
  ] as [string, unknown[]][])('by %s', async (breakdownBy, expected) => {
    const found = await table(breakdownBy)
    expect(found).toHaveLength(expected.length)
    expect(found).toEqual(expect.arrayContaining(expected))
  })

  it.each([
    'ScreenName',
    'InitialReferringDomain',
    'InitialUTMCampaign',
    'InitialUTMMedium',
    'InitialUTMTerm',
    'InitialUTMContent',
    'Browser',
    'OS',
    'Viewport',
    'DeviceType',
    'Region',
    'Timezone',
    'Language',
    'FrustrationMetrics',
  ])('are answered by %s, with a goal and a comparison too', async (breakdownBy) => {
    await table(breakdownBy)
    await table(breakdownBy, { conversionGoal: { customEventName: 'bought' }, compareFilter: { compare: true } })
  })

  it('tell bounces, scrolling and time of pages, and clean paths', async () => {
    const rows = await table('Page', {
      includeBounceRate: true,
      includeScrollDepth: true,
      includeAvgTimeOnPage: true,
      doPathCleaning: true,
    })
    expect(rows).toEqual([
      ['/', [2, null], [2, null], [0.5, null], [0.9, null], [1, null], [60, null]],
      ['/docs/<id>', [1, null], [2, null], [0, null], [null, null], [null, null], [null, null]],
      ['/pricing', [1, null], [1, null], [null, null], [null, null], [null, null], [null, null]],
    ])
  })

  it('come in pages, in the order that is asked for', async () => {
    const node = { kind: 'WebStatsTableQuery', breakdownBy: 'Page', limit: 1, offset: 1, orderBy: ['Views', 'ASC'] }
    expect(await answer(node)).toMatchObject({
      results: [['/docs/13', [1, null], [1, null]]],
      hasMore: true,
      limit: 1,
      offset: 1,
      columns: ['context.columns.breakdown_value', 'context.columns.visitors', 'context.columns.views'],
    })
    await expect(table('Page', { orderBy: ['Clicks', 'ASC'] })).rejects.toThrow(
      'This table cannot be ordered by Clicks: it has Visitors, Views.',
    )
  })

  it('tell who converted, by page and by channel', async () => {
    const goal = { conversionGoal: { customEventName: 'bought' } }
    expect(await table('Page', goal)).toContainEqual(['/pricing', [1, null], [1, null], [1, null], [1, null]])
    expect(await table('InitialChannelType', goal)).toContainEqual([
      'Direct',
      [2, null],
      [0, null],
      [0, null],
      [0, null],
    ])
  })
})

it('goals are events and actions, of all visitors', async () => {
  expect(
    await answer({ kind: 'WebGoalsQuery', goals: [{ customEventName: 'bought' }, { customEventName: 'never' }] }),
  ).toMatchObject({
    columns: [
      'context.columns.action_name',
      'context.columns.converting_users',
      'context.columns.total_conversions',
      'context.columns.conversion_rate',
    ],
    results: [
      ['bought', [1, null], [1, null], [0.5, null]],
      ['never', [0, null], [0, null], [0, null]],
    ],
  })
  await expect(answer({ kind: 'WebGoalsQuery', goals: [{ actionId: 7 }] })).rejects.toThrow(
    'The project has no action 7.',
  )
})

it('links that led outside are listed, and with a goal who reached it', async () => {
  const links = { kind: 'WebExternalClicksTableQuery', stripQueryParams: true }
  expect(await answer(links)).toMatchObject({ results: [['https://other.test/a', [1, null], [1, null]]] })
  expect(await answer({ ...links, conversionGoal: { customEventName: '$autocapture' } })).toMatchObject({
    results: [['https://other.test/a', [1, null], [1, null], [1, null], [1, null]]],
  })
  expect(await answer({ ...links, conversionGoal: { customEventName: 'bought' } })).toMatchObject({
    results: [['https://other.test/a', [1, null], [0, null], [0, null], [0, null]]],
  })
})

it('pages are good, need work or are poor', async () => {
  expect(
    await answer({ kind: 'WebVitalsPathBreakdownQuery', metric: 'LCP', percentile: 'p75', thresholds: [2500, 4000] }),
  ).toMatchObject({
    results: [
      { good: [{ path: '/pricing', value: 1000 }], needs_improvements: [], poor: [{ path: '/', value: 5000 }] },
    ],
  })
})

it('sessions are counted over time, by when they began', async () => {
  const found = (await answer({
    kind: 'WebTrendsQuery',
    interval: 'day',
    metrics: ['UniqueUsers', 'PageViews', 'Bounces'],
    compareFilter: { compare: true },
  })) as unknown as { results: { bucket: string }[]; previous: unknown[] }
  expect(found.results.find(({ bucket }) => bucket === '2024-05-30')).toEqual({
    bucket: '2024-05-30',
    metrics: { UniqueUsers: 2, PageViews: 5, Bounces: 1 },
  })
  expect(found.previous).toContainEqual({ bucket: '2024-05-22', metrics: { UniqueUsers: 1, PageViews: 1, Bounces: 1 } })
})

describe('a filter of sessions', () => {
  const properties = [{ key: '$browser', type: 'session', operator: 'exact', value: ['Safari'] }]

  it.each(['Page', 'WeekdayHour', 'PreviousPage'])('holds for the table of events %s', async (breakdownBy) => {
    const pages = { includeBounceRate: true, includeScrollDepth: true, includeAvgTimeOnPage: true }
    const rows = (await table(breakdownBy, { properties, compareFilter: { compare: true }, ...pages })) as [
      string,
      [number, number],
    ][]
    expect(rows.reduce((sum, [, [visitors]]) => sum + visitors, 0)).toBe(1)
  })

  it('holds for goals, which may be events of the project itself', async () => {
    const { results, goals } = (await answer({ kind: 'WebGoalsQuery', includeEvents: true })) as unknown as {
      results: unknown[][]
      goals: unknown[]
    }
    expect(goals).toEqual([{ customEventName: 'bought' }, { customEventName: 'job' }])
    expect(results.map(([name]) => name)).toEqual(['bought', 'job'])
    const filtered = (await answer({ kind: 'WebGoalsQuery', includeEvents: true, properties })) as { results: unknown }
    expect(filtered.results).toEqual([])
  })
})

it('questions that are asked together are answered as if each were asked alone', async () => {
  const compareFilter = { compare: true }
  const goal = { conversionGoal: { customEventName: 'bought' } }
  const nodes: JsonObject[] = [
    { kind: 'WebOverviewQuery', compareFilter },
    { kind: 'WebTrendsQuery', interval: 'day', compareFilter },
    { kind: 'WebTrendsQuery', interval: 'hour', compareFilter },
    { kind: 'WebStatsTableQuery', breakdownBy: 'InitialChannelType', compareFilter, includeBounceRate: true },
    { kind: 'WebStatsTableQuery', breakdownBy: 'City', compareFilter, limit: 1 },
    {
      kind: 'WebStatsTableQuery',
      breakdownBy: 'ExitPage',
      compareFilter,
      orderBy: ['Views', 'ASC'],
      limit: 2,
      offset: 1,
    },
    { kind: 'WebStatsTableQuery', breakdownBy: 'ExitClick', compareFilter },
    { kind: 'WebStatsTableQuery', breakdownBy: 'Page', compareFilter },
    { kind: 'WebOverviewQuery', compareFilter, ...goal },
    { kind: 'WebTrendsQuery', interval: 'day', compareFilter, ...goal },
    { kind: 'WebStatsTableQuery', breakdownBy: 'Browser', compareFilter, ...goal },
    { kind: 'WebStatsTableQuery', breakdownBy: 'OS', bots: 'only' },
    { kind: 'WebOverviewQuery', bots: 'only' },
    { kind: 'WebStatsTableQuery', breakdownBy: 'OS', compareFilter, orderBy: ['Clicks', 'ASC'] },
  ]
  const queries = nodes
    .map((node) => querySchema.parse({ dateRange: { date_from: '-7d' }, ...node }))
    .filter(isAnsweredHere)
  expect(queries).toHaveLength(nodes.length)
  const run = webTogether(project.context(NOW), queries)
  const together = await Promise.allSettled(queries.map(run))
  const alone = await Promise.allSettled(queries.map((query) => runWeb(project.context(NOW), query)))
  const told = (settled: (typeof alone)[number]) =>
    settled.status === 'fulfilled' ? settled.value.fields : String(settled.reason)
  expect(together.map(told)).toEqual(alone.map(told))
  expect(told(together.at(-1) as (typeof alone)[number])).toContain('cannot be ordered by Clicks')
  const statements = new Set(together.flatMap((each) => (each.status === 'fulfilled' ? each.value.asked : [])))
  expect(statements.size, 'six of them were answered by one statement').toBeLessThan(10)
})

it('counts who is there now: sessions with an event in the last five minutes', async () => {
  const live = async (node: JsonObject = {}) =>
    ((await answer({ kind: 'WebOverviewQuery', includeLive: true, ...node })) as unknown as { live_visitors: number })
      .live_visitors
  expect(await live()).toBe(0)
  await project.seed([page('s7', 'eve', '2024-05-31T11:58:00Z', '/', { ...CHROME, ...DIRECT })])
  expect(await live()).toBe(1)
  expect(await live({ properties: [{ key: '$browser', type: 'session', value: ['Safari'] }] })).toBe(0)
})

/** Events of one session as they were drawn. */
interface Drawn {
  readonly session: string
  readonly person: string
  readonly at: number
  readonly event: string
  readonly path: string
  readonly browser: string
  readonly source: string
}

/** The same numbers, slowly: sessions that began in the range and have a page, by what their first event said. */
function calculated(events: readonly Drawn[], from: number, label: (first: Drawn, last: Drawn) => string) {
  const rows = new Map<string, { visitors: Set<string>; views: number; sessions: number; bounces: number }>()
  for (const ofSession of groupBy(events, ({ session }) => session).values()) {
    const inOrder = ofSession.toSorted((a, b) => a.at - b.at)
    const [first, last] = [inOrder[0], inOrder.at(-1)]
    const views = inOrder.filter(({ event }) => event === '$pageview').length
    if (first === undefined || last === undefined || first.at < from || views === 0) continue
    const key = label(first, last)
    const row = rows.get(key) ?? { visitors: new Set(), views: 0, sessions: 0, bounces: 0 }
    for (const { person } of inOrder) row.visitors.add(person)
    row.views += views
    row.sessions += 1
    const clicked = inOrder.some(({ event }) => event === '$autocapture')
    if (views === 1 && !clicked && Math.floor(last.at / 1000) - Math.floor(first.at / 1000) < 10) row.bounces += 1
    rows.set(key, row)
  }
  return rows
}

it('sessions of one kept row and of several are counted alike, whatever batches their events came in', async () => {
  const random = drawn('sessions of one row and of several')
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const [now, day] = [Date.parse(NOW), 86_400_000]
  const events = Array.from({ length: 60 }, (_, n): Drawn[] => {
    const begin = now - Math.floor(random() * 9 * day)
    const [person, browser, source] = [pick(['ann', 'ben', 'cem', 'dot']), pick(['Chrome', 'Firefox']), pick(['a', ''])]
    // Times differ, so that first and last are the same for everybody; some sessions last over midnight.
    const steps = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, step) => step * (1 + random() * 20_000_000))
    return steps.map((after) => ({
      session: `random-${n}`,
      person: random() < 0.1 ? 'eve' : person,
      at: Math.min(now - 1, begin + Math.floor(after)) - n,
      event: pick(['$pageview', '$pageview', '$autocapture', 'used']),
      path: pick(['/', '/a', '/b']),
      browser,
      source,
    }))
  }).flatMap((one) => one.filter(({ at }, index) => one.findIndex((other) => other.at === at) === index))
  const other = engine.project()
  const batches = groupBy(events, () => Math.floor(random() * 4))
  for (const batch of batches.values())
    await other.seed(
      batch.map(({ session, person, at, event, path, browser, source }) => ({
        event,
        sessionId: session,
        distinctId: person,
        at: new Date(at).toISOString(),
        properties: {
          $current_url: `https://site.test${path}`,
          $pathname: path,
          $browser: browser,
          ...(source ? { utm_source: source } : {}),
        },
      })),
    )
  const from = Date.parse('2024-05-24T00:00:00Z')
  const labels: readonly (readonly [string, (first: Drawn, last: Drawn) => string])[] = [
    ['Browser', ({ browser }) => browser],
    ['InitialUTMSource', ({ source }) => source],
    ['InitialPage', ({ path }) => path],
    ['ExitPage', (_, { path }) => path],
  ]
  for (const [breakdownBy, label] of labels) {
    const query = querySchema.parse({
      kind: 'WebStatsTableQuery',
      breakdownBy,
      includeBounceRate: true,
      dateRange: { date_from: '-7d' },
    })
    if (!isWebQuery(query) || query.kind === 'WebVitalsQuery') throw new Error('not answered here')
    const { fields } = await runWeb(other.context(NOW), query)
    const expected = [...calculated(events, from, label)].map(([key, row]) => [
      key || null,
      [row.visitors.size, null],
      [row.views, null],
      [expect.closeTo(row.bounces / row.sessions), null],
    ])
    expect(fields.results, breakdownBy).toHaveLength(expected.length)
    expect(fields.results, breakdownBy).toEqual(expect.arrayContaining(expected))
  }
  const { rows } = await other.clickhouse.query<{ most: number }>(sql`
    SELECT max(n) AS most FROM (SELECT count() AS n FROM sessions WHERE project_id = ${uint(other.id)} GROUP BY session_id)`)
  expect(Number(rows[0]?.most), 'some sessions have several rows, or this tests nothing').toBeGreaterThan(1)
})
