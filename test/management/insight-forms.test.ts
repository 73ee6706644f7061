/** One question in every form a client may send it: the numbers must be the same, in JSON and in CSV. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestService, type TestService } from '../support/service.ts'

const RANGE = { date_from: '2024-03-01', date_to: '2024-03-06' }
const EVENTS = [{ id: 'signed up' }, { id: 'paid', order: 1 }]
const SERIES = ['signed up', 'paid'].map((event) => ({ kind: 'EventsNode', event }))
const entity = (id: string) => ({ id, type: 'events' })
const RETAINED = { period: 'Day' }
const RETAINING = { target: entity('signed up'), returning: entity('paid') }

interface Kind {
  readonly name: string
  /** Where it is asked, and as which `insight` at the address of trends. */
  readonly path: string
  readonly insight?: string
  readonly filter: Record<string, unknown>
  readonly node: Record<string, unknown>
  /** The numbers of the CSV, out of the JSON. */
  readonly table: (result: never) => (string | number | null)[][]
}
interface Labelled {
  readonly label: string
  readonly labels: string[]
  readonly data: number[]
  readonly compare_label?: string
}

const ofSeries = (result: Labelled[]) => [
  ['series', ...(result[0]?.labels ?? [])],
  ...result.map(({ label, data, compare_label }) => [compare_label ? `${label} (${compare_label})` : label, ...data]),
]
const trend = (more: object, node: object) => ({
  path: 'trend',
  insight: 'TRENDS',
  filter: { ...RANGE, events: EVENTS, ...more },
  node: { kind: 'TrendsQuery', dateRange: RANGE, series: SERIES, ...node },
  table: ofSeries,
})
const funnel = (more: object, funnelsFilter: object) => ({
  path: 'funnel',
  insight: 'FUNNELS',
  filter: { ...RANGE, events: EVENTS, ...more },
  node: { kind: 'FunnelsQuery', dateRange: RANGE, series: SERIES, funnelsFilter },
})

const KINDS: Kind[] = [
  { name: 'trends', ...trend({}, {}) },
  {
    name: 'trends of unique users, compared, filtered, without test accounts',
    ...trend(
      {
        events: [{ id: 'signed up', math: 'dau' }],
        compare: true,
        properties: [{ key: 'plan', value: ['pro', 'free'] }],
        filter_test_accounts: true,
      },
      {
        series: [{ kind: 'EventsNode', event: 'signed up', math: 'dau' }],
        compareFilter: { compare: true },
        properties: [{ key: 'plan', value: ['pro', 'free'] }],
        filterTestAccounts: true,
      },
    ),
  },
  {
    name: 'trends by week with a breakdown and a formula',
    ...trend(
      { breakdown: 'plan', breakdown_limit: 1, interval: 'week', formula: 'A + B' },
      {
        breakdownFilter: { breakdown: 'plan', breakdown_limit: 1 },
        interval: 'week',
        trendsFilter: { formula: 'A + B' },
      },
    ),
  },
  {
    name: 'one number',
    ...trend({ display: 'BoldNumber' }, { trendsFilter: { display: 'BoldNumber' } }),
    table: (result: (Labelled & { aggregated_value: number })[]) => [
      ['series', 'value'],
      ...result.map(({ label, aggregated_value }) => [label, aggregated_value]),
    ],
  },
  {
    name: 'funnels',
    ...funnel({ funnel_window_days: 7 }, { funnelWindowInterval: 7 }),
    table: (
      result: { name: string; count: number; average_conversion_time: number; median_conversion_time: number }[],
    ) => [
      ['step', 'name', 'count', 'average_conversion_time', 'median_conversion_time'],
      ...result.map((step, at) => [
        at + 1,
        step.name,
        step.count,
        step.average_conversion_time,
        step.median_conversion_time,
      ]),
    ],
  },
  {
    name: 'times to convert',
    ...funnel({ funnel_viz_type: 'time_to_convert', bin_count: 3 }, { funnelVizType: 'time_to_convert', binCount: 3 }),
    table: ({ bins }: { bins: [number, number][] }) => [['from_seconds', 'count'], ...bins],
  },
  {
    name: 'funnels over time',
    ...funnel({ funnel_viz_type: 'trends' }, { funnelVizType: 'trends' }),
    table: (result: Labelled[]) => ofSeries(result.map((each) => ({ ...each, label: 'conversion' }))),
  },
  {
    name: 'correlations',
    path: 'funnel/correlation',
    filter: { ...RANGE, events: EVENTS, funnel_correlation_type: 'events' },
    node: {
      kind: 'FunnelCorrelationQuery',
      funnelCorrelationType: 'events',
      source: { kind: 'FunnelsActorsQuery', source: { kind: 'FunnelsQuery', dateRange: RANGE, series: SERIES } },
    },
    table: ({ events }: { events: Record<string, never>[] }) => [
      ['event', 'success_count', 'failure_count', 'odds_ratio', 'correlation_type'],
      ...events.map(({ event, success_count, failure_count, odds_ratio, correlation_type }) => [
        (event as { event: string } | undefined)?.event ?? '',
        success_count ?? null,
        failure_count ?? null,
        odds_ratio ?? null,
        correlation_type ?? null,
      ]),
    ],
  },
  {
    name: 'retention',
    path: 'retention',
    insight: 'RETENTION',
    filter: {
      ...RANGE,
      ...RETAINED,
      total_intervals: 6,
      target_entity: RETAINING.target,
      returning_entity: RETAINING.returning,
    },
    node: {
      kind: 'RetentionQuery',
      dateRange: RANGE,
      retentionFilter: {
        ...RETAINED,
        totalIntervals: 6,
        targetEntity: RETAINING.target,
        returningEntity: RETAINING.returning,
      },
    },
    table: (result: { date: string; values: { count: number }[] }[]) => [
      ['cohort', 'size', ...(result[0]?.values.map((_, at) => `Day ${at}`) ?? [])],
      ...result.map(({ date, values }) => [date, values[0]?.count ?? 0, ...values.map(({ count }) => count)]),
    ],
  },
  {
    name: 'lifecycle',
    path: 'trend',
    insight: 'LIFECYCLE',
    filter: { ...RANGE, insight: 'LIFECYCLE', events: [{ id: 'signed up' }] },
    node: { kind: 'LifecycleQuery', dateRange: RANGE, series: SERIES.slice(0, 1) },
    table: ofSeries,
  },
  {
    name: 'stickiness',
    path: 'trend',
    insight: 'STICKINESS',
    filter: { ...RANGE, insight: 'STICKINESS', events: [{ id: 'signed up', math: 'dau' }] },
    node: {
      kind: 'StickinessQuery',
      dateRange: RANGE,
      series: [{ kind: 'EventsNode', event: 'signed up', math: 'dau' }],
    },
    table: ofSeries,
  },
  {
    name: 'paths',
    path: 'path',
    insight: 'PATHS',
    filter: { ...RANGE, include_event_types: ['custom_event'], step_limit: 3 },
    node: {
      kind: 'PathsQuery',
      dateRange: RANGE,
      pathsFilter: { includeEventTypes: ['custom_event'], stepLimit: 3 },
    },
    table: (result: { source: string; target: string; value: number; average_conversion_time: number }[]) => [
      ['source', 'target', 'value', 'average_conversion_time'],
      ...result.map((edge) => [edge.source, edge.target, edge.value, edge.average_conversion_time]),
    ],
  },
]

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const did = (name: string, plan: string, ...events: [event: string, day: number, hour: number][]) =>
    events.map(([event, day, hour], at) => ({
      event,
      distinct_id: name,
      timestamp: new Date(Date.UTC(2024, 2, day, hour, at)).toISOString(),
      properties: { plan, $set: { email: `${name}@example.com` } },
    }))
  const events = [
    ...did('a', 'pro', ['signed up', 1, 8], ['read docs', 1, 8], ['paid', 2, 9], ['signed up', 3, 9]),
    ...did('b', 'pro', ['signed up', 1, 9], ['paid', 1, 10]),
    ...did('c', 'free', ['signed up', 2, 9], ['complained', 2, 10]),
    ...did('d', 'none', ['signed up', 4, 9], ['signed up', 5, 9]),
  ]
  await service.capture(events)
  await service.waitFor(async () => {
    const { body } = await service.api('insights/trend/?refresh=true', {
      body: { ...RANGE, events: [{ id: null }], display: 'BoldNumber' },
    })
    return body.result[0].aggregated_value === events.length
  }, 'all events')
})
afterAll(() => service?.stop())

const queryString = (fields: Record<string, unknown>) => {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    text.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return text.toString()
}

/** Everything but the addresses, which hold the question in the form it was asked. */
function numbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numbers)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !/_urls?$|^people$|^persons$/.test(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, numbers(inner)]))
}
/** The answer to a node names the cells of a retention table; the legacy answer has links instead. */
const withoutCellLabels = (result: unknown): unknown =>
  JSON.parse(
    JSON.stringify(result, (name, value) =>
      name === 'values' ? value.map(({ label: _, ...cell }: { label?: string }) => cell) : value,
    ),
  )

describe.each(KINDS)('$name', ({ path, insight, filter, node, table }) => {
  const url = `insights/${path}/`
  const wrapped = { kind: 'InsightVizNode', source: node }
  const forms: [form: string, ask: (more?: Record<string, string>) => Promise<Answer>][] = [
    ['keys in a query string', (more) => service.api(`${url}?${queryString({ ...filter, ...more })}`)],
    ['keys in a body', (more) => service.api(`${url}?${queryString(more ?? {})}`, { body: filter })],
    ['filters', (more) => service.api(`${url}?${queryString(more ?? {})}`, { body: { filters: filter } })],
    [
      'filters as text',
      (more) => service.api(`${url}?${queryString(more ?? {})}`, { body: { filters: JSON.stringify(filter) } }),
    ],
    ['filters in a query string', (more) => service.api(`${url}?${queryString({ filters: filter, ...more })}`)],
    ['a node', (more) => service.api(`${url}?${queryString(more ?? {})}`, { body: { query: node } })],
    ['a wrapped node', (more) => service.api(`${url}?${queryString(more ?? {})}`, { body: { query: wrapped } })],
    [
      'a node as text',
      (more) => service.api(`${url}?${queryString(more ?? {})}`, { body: { query: JSON.stringify(node) } }),
    ],
    ['a node in a query string', (more) => service.api(`${url}?${queryString({ query: wrapped, ...more })}`)],
    [
      'a node before filters',
      (more) =>
        service.api(`${url}?${queryString(more ?? {})}`, {
          body: { query: node, filters: { insight: 'PATHS', date_from: '-1d' }, events: [] },
        }),
    ],
    ...(insight === undefined
      ? []
      : ([
          [
            'keys at the address of trends',
            (more) => service.api(`insights/trend/?${queryString(more ?? {})}`, { body: { ...filter, insight } }),
          ],
          [
            'a node at the address of trends',
            (more) => service.api(`insights/trend/?${queryString(more ?? {})}`, { body: { query: node } }),
          ],
        ] as [string, (more?: Record<string, string>) => Promise<Answer>][])),
  ]

  it('has the same numbers in every form, and as a query', async () => {
    const [[, askFirst], ...rest] = forms as [(typeof forms)[number], ...typeof forms]
    const first = await askFirst()
    expect(first.status, first.text).toBe(200)
    const wanted = numbers(first.body.result)
    const others = await Promise.all(rest.map(async ([form, ask]) => ({ form, answer: await ask() })))
    for (const { form, answer } of others) {
      expect(answer.status, `${form}: ${answer.text}`).toBe(200)
      expect(numbers(answer.body.result), form).toEqual(wanted)
    }
    const query = await service.api('query/', { body: { query: node } })
    expect(withoutCellLabels(numbers(query.body.results))).toEqual(withoutCellLabels(wanted))
    expect(JSON.stringify(wanted)).toMatch(/[1-9]/)
  })

  it('has them as CSV too', async () => {
    const { body } = await service.api(`${url}?${queryString(filter)}`)
    const cell = (value: string | number | null) => {
      const text = value === null ? '' : String(value)
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    }
    const expected = table(body.result as never).map((row) => row.map(cell).join(','))
    const answers = await Promise.all(forms.map(async ([form, ask]) => ({ form, csv: await ask({ format: 'csv' }) })))
    for (const { form, csv } of answers) {
      expect(csv.headers.get('content-type'), form).toContain('text/csv')
      expect(csv.text.trimEnd().split('\r\n'), form).toEqual(expected)
    }
  })
})

describe('the people behind the numbers of an answer', () => {
  const follow = (url: string) => service.api(new URL(url).pathname + new URL(url).search)
  const names = async (url: string) =>
    (await follow(url)).body.results[0].people.map(({ name }: { name: string }) => name[0]).toSorted()
  const sum = (people: { value_at_data_point: number }[]) =>
    people.reduce((total, each) => total + each.value_at_data_point, 0)
  const node = { kind: 'TrendsQuery', dateRange: RANGE, series: SERIES, breakdownFilter: { breakdown: 'plan' } }
  const filter = { ...RANGE, events: EVENTS, breakdown: 'plan' }

  it.each([
    ['keys in a query string', () => service.api(`insights/trend/?${queryString(filter)}`)],
    ['keys in a body', () => service.api('insights/trend/', { body: filter })],
    ['filters', () => service.api('insights/trend/', { body: { filters: filter } })],
    ['a node', () => service.api('insights/trend/', { body: { query: node } })],
  ])('are linked to every point of a trend: %s', async (_, ask) => {
    const { body } = await ask()
    for (const { data, persons_urls } of body.result) {
      expect(persons_urls).toHaveLength(data.length)
      // Where there is somebody, and once where there is nobody.
      const places = [...data.keys()].filter((at: number) => data[at] > 0 || at === data.indexOf(0))
      const behind = await Promise.all(places.map((at) => follow(persons_urls[at].url)))
      expect(behind.map(({ body }) => sum(body.results[0].people))).toEqual(places.map((at) => data[at]))
    }
    expect(body.result[0].persons_urls[0].filter).toMatchObject({
      entity_id: 'signed up',
      entity_type: 'events',
      entity_order: 0,
      breakdown_value: 'pro',
      date_from: '2024-03-01T00:00:00Z',
      date_to: '2024-03-01T23:59:59Z',
    })
    expect(await names(body.result[0].persons_urls[0].url)).toEqual(['a', 'b'])
  })

  it('are linked to one number, to comparisons, stickiness and lifecycle, and not to formulas', async () => {
    const ask = async (more: object) =>
      (await service.api('insights/trend/', { body: { ...RANGE, ...more } })).body.result
    const [number] = await ask({ events: [{ id: 'signed up', math: 'dau' }], display: 'BoldNumber' })
    expect(await names(number.persons.url)).toEqual(['a', 'b', 'c', 'd'])
    const later = { date_from: '2024-03-07', date_to: '2024-03-12', events: [{ id: 'signed up' }], compare: true }
    const [, previous] = await ask(later)
    expect(previous.compare_label).toBe('previous')
    expect(await names(previous.persons_urls[1].url)).toEqual(['c'])
    const [sticky] = await ask({ insight: 'STICKINESS', events: [{ id: 'signed up' }] })
    expect(sticky.data.slice(0, 2)).toEqual([2, 2])
    expect(await names(sticky.persons_urls[1].url)).toEqual(['a', 'd'])
    const lifecycle = await ask({ insight: 'LIFECYCLE', events: [{ id: 'signed up' }] })
    expect(await names(lifecycle[0].persons_urls[1].url)).toEqual(['c'])
    expect(await names(lifecycle[3].persons_urls[1].url)).toEqual(['a', 'b'])
    const [formula] = await ask({ events: EVENTS, formula: 'A' })
    expect(formula).not.toHaveProperty('persons_urls')
  })

  it('are linked to a table of retention by value', async () => {
    const query = {
      kind: 'RetentionQuery',
      dateRange: RANGE,
      retentionFilter: { totalIntervals: 6, targetEntity: RETAINING.target, returningEntity: RETAINING.returning },
      breakdownFilter: { breakdown: 'plan' },
    }
    const { body } = await service.api('insights/retention/', { body: { query } })
    const [first] = body.result
    expect([first.breakdown_value, first.values[0].count, first.values[1].count]).toEqual(['pro', 2, 1])
    expect(await names(first.people_url)).toEqual(['a', 'b'])
    expect(await names(first.values[1].people_url)).toEqual(['a'])
  })

  it('come page by page, also when the question was posted', async () => {
    const asked = { ...RANGE, events: [{ id: 'signed up' }], limit: 3 }
    const page = await service.api('persons/trends/', { body: asked })
    expect(page.body.results[0].count).toBe(3)
    const rest = await follow(page.body.next)
    expect(rest.body).toMatchObject({ results: [{ count: 1 }], next: null })
  })
})

it.each([
  ['keys', { ...RANGE, events: [{ id: 'signed up' }], breakdown: 'plan', breakdown_limit: 1 }],
  ['filters', { filters: { ...RANGE, events: [{ id: 'signed up' }], breakdown: 'plan', breakdown_limit: 1 } }],
  [
    'a node',
    {
      query: {
        kind: 'TrendsQuery',
        dateRange: RANGE,
        series: SERIES.slice(0, 1),
        breakdownFilter: { breakdown: 'plan', breakdown_limit: 1 },
      },
    },
  ],
])('the values that one page leaves out are on the next: %s', async (_, body) => {
  const seen: string[] = []
  let answer = await service.api('insights/trend/', { body })
  for (let page = 0; page < 10; page++) {
    seen.push(...answer.body.result.map((each: { breakdown_value: string }) => each.breakdown_value))
    if (answer.body.next === null) break
    const next = new URL(answer.body.next)
    answer = await service.api(next.pathname + next.search)
  }
  expect(seen.filter((value) => !value.startsWith('$$'))).toEqual(['pro', 'none', 'free'])
})

describe('what means nothing', () => {
  const ask = (path: string, body: object) => service.api(path, { body })
  const refuses = async (answer: Promise<Answer>, attr: string, words: RegExp) => {
    const { status, body } = await answer
    expect({ status, type: body.type, attr: body.attr }).toEqual({ status: 400, type: 'validation_error', attr })
    expect(body.detail).toMatch(words)
  }

  it.each(['trend', 'funnel', 'funnel/correlation', 'retention', 'path'])(
    'is refused by insights/%s/',
    async (kind) => {
      const path = `insights/${kind}/`
      const query = (filter: Record<string, string>) =>
        service.api(`${path}?${new URLSearchParams({ events: JSON.stringify(EVENTS), ...filter })}`)
      await refuses(ask(path, { events: EVENTS, date_from: 'garbage' }), 'date_from', /"garbage" is not a date/)
      await refuses(ask(path, { filters: { events: EVENTS, date_to: '2024-02-31' } }), 'filters__date_to', /not a date/)
      await refuses(query({ date_from: 'garbage' }), 'date_from', /"garbage" is not a date/)
      await refuses(ask(path, { events: EVENTS, properties: [{}] }), 'properties__0', /has no key/)
      await refuses(query({ properties: '[null]' }), 'properties__0', /not null/)
      await refuses(
        ask(path, { events: EVENTS, properties: [{ key: 'plan', operator: 'regex', value: '(' }] }),
        'properties__0__value',
        /"\(" for "plan" is not a regular expression/,
      )
      await refuses(
        ask(path, { events: EVENTS, date_from: '2024-03-06', date_to: '2024-03-01' }),
        'date_to',
        /date_to "2024-03-01" .*lies before date_from "2024-03-06"/,
      )
    },
  )

  it('is refused in the events of a filter, under the place where each was sent', async () => {
    const bad = { id: 'paid', properties: [{ key: 'plan', operator: 'not_regex', value: '[' }] }
    await refuses(ask('insights/trend/', { events: [bad, { id: 'x' }] }), 'events__0__properties__0__value', /"\["/)
    const many = Array.from({ length: 1_000 }, () => ({ id: 'paid' }))
    await refuses(ask('insights/trend/', { events: many }), 'events', /at most 100 series/)
    await refuses(
      ask('persons/trends/', { events: [{ id: 'paid' }], date_from: 'garbage', day: '2024-03-01' }),
      'date_from',
      /not a date/,
    )
  })

  it('is refused in a query node, under the path it was sent by', async () => {
    const trends = { kind: 'TrendsQuery', series: SERIES }
    const node = (more: object) => ({ query: { kind: 'InsightVizNode', source: { ...trends, ...more } } })
    for (const path of ['query/', 'insights/trend/']) {
      const dates = { dateRange: { date_from: 'garbage' } }
      await refuses(ask(path, { query: { ...trends, ...dates } }), 'query__dateRange__date_from', /not a date/)
      await refuses(ask(path, node(dates)), 'query__source__dateRange__date_from', /not a date/)
      const pattern = { properties: [{ key: 'plan', operator: 'regex', value: '(' }] }
      await refuses(ask(path, node(pattern)), 'query__source__properties__0__value', /regular expression/)
      await refuses(ask(path, node({ interval: 'fortnight' })), 'query__source__interval', /You sent "fortnight"/)
    }
    const crossed = { ...trends, dateRange: { date_from: '2024-03-06', date_to: '2024-03-01' } }
    const actors = { kind: 'ActorsQuery', source: { kind: 'InsightActorsQuery', source: crossed, day: '2024-03-01' } }
    await refuses(ask('query/', { query: actors }), 'query__source__source__dateRange__date_to', /lies before/)
    await refuses(
      ask('insights/funnel/correlation/', { query: trends }),
      'query__kind',
      /"FunnelsQuery".*"TrendsQuery"/,
    )
  })

  it('is refused by SQL, tables of events, overrides, dashboards, recordings and lists', async () => {
    const sql = (filters: object) => ask('query/', { query: { kind: 'HogQLQuery', query: 'select 1', filters } })
    await refuses(sql({ dateRange: { date_from: 'garbage' } }), 'filters__dateRange__date_from', /not a date/)
    await refuses(sql({ dateRange: { date_from: '-1d', date_to: '-2d' } }), 'date_to', /lies before/)
    const table = (more: object) => ask('query/', { query: { kind: 'EventsQuery', select: ['event'], ...more } })
    await refuses(table({ after: 'garbage' }), 'after', /not a date/)
    await refuses(table({ after: '-1d', before: '-2d' }), 'before', /lies before/)
    await refuses(
      ask('query/', { query: { kind: 'TrendsQuery', series: SERIES }, filters_override: { date_from: 'garbage' } }),
      'filters_override__date_from',
      /not a date/,
    )
    await refuses(ask('dashboards/', { filters: { date_from: 'garbage' } }), 'filters__date_from', /not a date/)
    await refuses(ask('dashboards/', { filters: { properties: [{}] } }), 'filters__properties__0', /has no key/)
    await refuses(service.api('session_recordings/?date_from=garbage'), 'date_from', /not a date/)
    await refuses(service.api('session_recordings/?properties=[{}]'), 'properties__0', /has no key/)
    await refuses(
      service.api('session_recordings/?properties=[{"key":"a","operator":"regex","value":"("}]'),
      'properties__0__value',
      /regular expression/,
    )
    await refuses(service.api('session_recordings/?date_from=-1d&date_to=-2d'), 'date_to', /lies before/)
    expect((await service.api('session_recordings/?date_from=all')).status).toBe(200)
    await refuses(service.api('insights/?date_from=garbage'), 'date_from', /not a date/)
    await refuses(service.api('session_recording_playlists/?date_to=garbage'), 'date_to', /not a date/)
  })
})

describe('the history of an insight', () => {
  it('says who did what, for one and for all', async () => {
    const { body: insight } = await service.api('insights/', { body: { name: 'First', tags: ['a'] } })
    const change = (body: object) => service.api(`insights/${insight.id}/`, { method: 'PATCH', body })
    await change({ name: 'Second' })
    await change({ name: 'Second' })
    await change({ deleted: true })
    await change({ deleted: false })
    const { body } = await service.api(`insights/${insight.short_id}/activity/`)
    expect(body.results.map(({ activity }: { activity: string }) => activity)).toEqual([
      'restored',
      'deleted',
      'updated',
      'created',
    ])
    expect(body).toMatchObject({ total_count: 4, next: null })
    expect(body.results[2]).toMatchObject({
      scope: 'Insight',
      item_id: String(insight.id),
      user: { email: 'owner@example.com' },
      detail: {
        name: 'Second',
        short_id: insight.short_id,
        changes: [{ type: 'Insight', action: 'changed', field: 'name', before: 'First', after: 'Second' }],
      },
    })
    const { body: dashboard } = await service.api('dashboards/', { body: { name: 'D' } })
    await change({ dashboards: [dashboard.id] })
    const { body: all } = await service.api('insights/activity/?limit=1')
    expect(all.results[0].detail.changes).toEqual([
      { type: 'Insight', action: 'changed', field: 'dashboards', before: [], after: [dashboard.id] },
    ])
    expect(all.next).toContain('page=2')
    expect((await service.api('insights/987654/activity/')).status).toBe(404)
  })
})
