import { describe, expect, test } from 'vitest'
import type { TrendsQuery } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import { actorsNodeOfLegacyFilter } from './legacy-actors.ts'
import { nodeOfLegacyFilter, placesOfLegacyFilter } from './legacy-filter.ts'
import { withOverride } from './override.ts'
import { readQuery } from './read-query.ts'

const trends = (filter: unknown): TrendsQuery => readQuery(nodeOfLegacyFilter(filter)) as TrendsQuery
const refused = (node: unknown): InvalidQuery => {
  try {
    readQuery(node)
  } catch (error) {
    return error as InvalidQuery
  }
  throw new Error('was not refused')
}
const series = [{ kind: 'EventsNode', event: 'e' }]

describe('a query node', () => {
  test('is found inside its wrappers, as an object, as text, as text of text, in a list of one', () => {
    const node = { kind: 'InsightVizNode', full: true, source: { kind: 'TrendsQuery', series, extra: 1 } }
    for (const form of [node, JSON.stringify(node), JSON.stringify(JSON.stringify(node)), [node]]) {
      expect(readQuery(form)).toMatchObject({ kind: 'TrendsQuery', interval: 'day', series: [{ event: 'e' }] })
    }
  })

  test.each([
    [{ kind: 'TrendsQuery', series, interval: 'fortnight' }, 'interval'],
    [{ kind: 'TrendsQuery', series: 'all' }, 'series'],
    [{ kind: 'TrendsQuery', series: [{ kind: 'EventsNode', math: 'guess' }] }, 'series__0__math'],
    [
      { kind: 'TrendsQuery', series, properties: [{ key: 'a', value: 'b', operator: 'like' }] },
      'properties__0__operator',
    ],
    [
      { kind: 'TrendsQuery', series, properties: [{ key: 'a', value: 'b', type: 'group' }] },
      'properties__0__group_type_index',
    ],
    [{ kind: 'TrendsQuery', series, samplingFactor: 2 }, 'samplingFactor'],
    [{ kind: 'TrendsQuery', series, dateRange: { date_from: 'garbage' } }, 'dateRange__date_from'],
    [{ kind: 'TrendsQuery', series, dateRange: { date_to: 'all' } }, 'dateRange__date_to'],
    [{ kind: 'EventsQuery', select: [], after: 'garbage' }, 'after'],
    [{ kind: 'TrendsQuery', series: Array(1000).fill(series[0]) }, 'series'],
    [{ kind: 'InsightVizNode', source: { kind: 'TrendsQuery', series, interval: 'x' } }, 'source__interval'],
    [{ kind: 'FunnelsQuery', series, funnelsFilter: { funnelOrderType: 'random' } }, 'funnelsFilter__funnelOrderType'],
    [{ kind: 'Nonsense' }, 'query__kind'],
    [{ series }, 'query__kind'],
    ['no json', 'query'],
  ])('with a wrong value is refused with its place', (node, attr) => {
    const error = refused(node)
    expect(error).toBeInstanceOf(InvalidQuery)
    expect(error.path.join('__')).toBe(attr)
  })

  test.each([
    {
      kind: 'FunnelsQuery',
      series,
      funnelsFilter: { exclusions: [{ ...series[0], funnelFromStep: 0, funnelToStep: 1 }] },
    },
    { kind: 'RetentionQuery', retentionFilter: { period: 'Week', targetEntity: { id: '$pageview', type: 'events' } } },
    { kind: 'LifecycleQuery', series },
    { kind: 'StickinessQuery', series, stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } } },
    { kind: 'PathsQuery', pathsFilter: { includeEventTypes: ['$pageview'], edgeLimit: 10 } },
    { kind: 'EventsQuery', select: ['*'] },
    { kind: 'HogQLQuery', query: 'select 1' },
    {
      kind: 'ActorsQuery',
      source: { kind: 'InsightActorsQuery', source: { kind: 'TrendsQuery', series }, day: '2020-01-01' },
    },
    {
      kind: 'FunnelCorrelationQuery',
      funnelCorrelationType: 'events',
      source: { kind: 'FunnelsActorsQuery', source: { kind: 'FunnelsQuery', series } },
    },
  ])('of kind $kind is read', (node) => {
    expect(readQuery(node).kind).toBe(node.kind)
  })
})

describe('a legacy filter', () => {
  test('says the same at the top, under filters and as a query string', () => {
    const events = [{ id: 'e', math: 'dau', properties: [{ key: 'a', value: 'b' }] }]
    const properties = [{ key: '$browser', value: ['Safari'], operator: 'is_not' }]
    const top = trends({ events, properties, interval: 'week', compare: true, breakdown_limit: 5, breakdown: 'x' })
    const text = trends({
      events: JSON.stringify(events),
      properties: JSON.stringify(properties),
      interval: 'week',
      compare: 'true',
      breakdown_limit: '5',
      breakdown: 'x',
    })
    const twice = trends({
      filters: JSON.stringify(
        JSON.stringify({ events, properties, interval: 'week', compare: true, breakdown_limit: 5, breakdown: 'x' }),
      ),
    })
    expect(text).toEqual(top)
    expect(twice).toEqual({ ...top })
    expect(top.breakdownFilter).toMatchObject({ breakdown: 'x', breakdown_type: 'event', breakdown_limit: 5 })
  })

  test('keeps the digits of a name that is a number, and a name that reads like one of ours is answered as sent', () => {
    const [number, text] = trends(parseJson('{"events":[{"id":1e400},{"id":"\\ue0f71e400"}]}')).series
    expect(number).toMatchObject({ event: '1e400' })
    expect(stringifyJson(text)).toContain('"event":"\ue0f71e400"')
  })

  test('puts actions before events, then sorts by order', () => {
    const { series } = trends({
      events: [{ id: 'b', order: 2 }, { id: 'a' }],
      actions: [{ id: 7, order: 1 }, { name: 'no id' }, 'text'],
    })
    expect(
      series.map((node) => (node.kind === 'ActionsNode' ? node.id : node.kind === 'EventsNode' ? node.event : '')),
    ).toEqual(['a', 7, 'b'])
  })

  test('knows the insight it is about', () => {
    const kinds = ['TRENDS', 'FUNNELS', 'RETENTION', 'PATHS', 'LIFECYCLE', 'STICKINESS'].map(
      (insight) => nodeOfLegacyFilter({ insight }).kind,
    )
    expect(kinds).toEqual([
      'TrendsQuery',
      'FunnelsQuery',
      'RetentionQuery',
      'PathsQuery',
      'LifecycleQuery',
      'StickinessQuery',
    ])
    expect(nodeOfLegacyFilter({ shown_as: 'Stickiness' }).kind).toBe('StickinessQuery')
    expect(nodeOfLegacyFilter({}, 'FUNNELS').kind).toBe('FunnelsQuery')
  })

  test('has property filters in any of their old forms', () => {
    const item = (key: string, operator: string, values: string[]) => ({
      kind: 'property',
      type: 'event',
      key,
      operator,
      values,
    })
    expect(trends({ properties: { $browser: 'Safari', plan__icontains: 'pro' } }).properties.values).toEqual([
      item('$browser', 'exact', ['Safari']),
      item('plan', 'icontains', ['pro']),
    ])
    const nested = {
      type: 'OR',
      values: [
        { type: 'AND', values: [{ key: 'a', value: 1 }, { type: 'empty' }] },
        { type: 'AND', values: [] },
      ],
    }
    expect(trends({ properties: nested }).properties).toEqual({
      kind: 'group',
      type: 'OR',
      values: [{ kind: 'group', type: 'AND', values: [item('a', 'exact', ['1'])] }],
    })
  })

  test.each([[undefined], [null], [''], [[]], [{}], [{ type: 'AND', values: [{ type: 'AND', values: [] }] }]])(
    'without filters, as %j, is about everybody',
    (properties) => expect(trends({ properties }).properties.values).toEqual([]),
  )

  test.each([
    [[{}], 'properties__0', /has no key/],
    [[null], 'properties__0', /not null/],
    [[''], 'properties__0', /is an object/],
    ['garbage', 'properties', /"garbage"/],
    [[{ key: 'c', operator: 'is_set' }, { value: 1 }], 'properties__1', /has no key/],
    [[{ key: null, value: 1 }], 'properties__0__key', /has no key/],
    [[{ key: 'a' }], 'properties__0__value', /"a" \(exact\) has no value/],
    [[{ key: 'a', value: [] }], 'properties__0__value', /has no value/],
    [[{ key: 'a', value: [null], operator: 'is_not' }], 'properties__0__value', /has no value/],
    [[{ key: 'a', value: 'soon', operator: 'is_date_after' }], 'properties__0__value', /"soon" is not a date/],
    [{ type: 'AND' }, 'properties', /A group of filters/],
    [{ type: 'XOR', values: [] }, 'properties', /A group of filters/],
    [{ type: 'OR', values: [{ type: 'AND', values: [{}] }] }, 'properties__values__0__values__0', /has no key/],
    [{ operator: 'exact' }, 'properties', /has no key/],
  ])('with filters %j is refused: they would mean everybody', (properties, attr, words) => {
    const error = refused({ kind: 'TrendsQuery', series, properties })
    expect(error.path.join('__')).toBe(attr)
    expect(error.message).toMatch(words)
  })

  test.each([[undefined], [null], [''], ['all'], ['-7d'], ['dStart'], ['-1mStart'], ['2020-01-02T03:04:05.678Z']])(
    'may begin at %j',
    (date_from) => expect(trends({ date_from, date_to: '' }).dateRange.date_from ?? '').toBe(date_from ?? ''),
  )

  test('without its places would be refused under names nobody sent', () => {
    const events = [{ id: 'a', order: 1, math: 'guess' }, { id: 'b' }]
    const wrong = (filter: Record<string, unknown>) => {
      try {
        readQuery(nodeOfLegacyFilter(filter), placesOfLegacyFilter(filter))
      } catch (error) {
        return (error as InvalidQuery).path.join('__')
      }
      return 'not refused'
    }
    expect(wrong({ events })).toBe('events__0__math')
    expect(wrong({ filters: { events } })).toBe('filters__events__0__math')
    expect(wrong({ events: [{ id: 'b' }], date_from: 'garbage' })).toBe('date_from')
    expect(wrong({ filters: JSON.stringify({ date_to: 'garbage' }) })).toBe('filters__date_to')
    expect(wrong({ insight: 'FUNNELS', events: [], funnel_order_type: 'random' })).toBe('funnel_order_type')
    expect(wrong({ insight: 'FUNNELS', exclusions: [{ id: 'x', funnel_from_step: -1 }] })).toBe(
      'exclusions__0__funnel_from_step',
    )
    expect(wrong({ insight: 'RETENTION', total_intervals: 1000 })).toBe('total_intervals')
    expect(wrong({ breakdown: 'a', breakdown_limit: 0 })).toBe('breakdown_limit')
    expect(wrong({ sampling_factor: 2 })).toBe('sampling_factor')
    expect(
      wrong({
        insight: 'PATHS',
        funnel_paths: 'funnel_path_before_step',
        funnel_filter: { events, funnel_viz_type: 'x' },
      }),
    ).toMatch(/^funnel_filter__/)
  })

  test('of a funnel keeps its steps, window and exclusions', () => {
    const filter = {
      insight: 'FUNNELS',
      events: '[{"id":"a","order":0},{"id":"b","order":1}]',
      funnel_window_days: '7',
      funnel_order_type: 'strict',
      exclusions: '[{"id":"x","type":"events","funnel_from_step":0,"funnel_to_step":1}]',
    }
    expect(readQuery(nodeOfLegacyFilter(filter))).toMatchObject({
      kind: 'FunnelsQuery',
      series: [{ event: 'a' }, { event: 'b' }],
      funnelsFilter: {
        funnelWindowInterval: 7,
        funnelWindowIntervalUnit: 'day',
        funnelOrderType: 'strict',
        exclusions: [{ event: 'x', funnelFromStep: 0, funnelToStep: 1 }],
      },
    })
  })
})

describe('a legacy persons filter', () => {
  test('names the number it is about', () => {
    const events = [
      { id: 'a', order: 0 },
      { id: 'b', order: 1 },
    ]
    const point = { events, entity_id: 'b', day: '2020-01-01', breakdown_value: 'x', include_recordings: 'true' }
    expect(readQuery(actorsNodeOfLegacyFilter(point))).toMatchObject({
      kind: 'InsightActorsQuery',
      source: { kind: 'TrendsQuery' },
      series: 1,
      day: '2020-01-01',
      breakdown: 'x',
      includeRecordings: true,
    })
    expect(readQuery(actorsNodeOfLegacyFilter({ events, funnel_step: '-2' }, 'FUNNELS'))).toMatchObject({
      kind: 'FunnelsActorsQuery',
      funnelStep: -2,
    })
    expect(
      readQuery(
        actorsNodeOfLegacyFilter({ insight: 'LIFECYCLE', events, lifecycle_type: 'new', target_date: '2020-01-02' }),
      ),
    ).toMatchObject({
      status: 'new',
      day: '2020-01-02',
    })
  })
})

describe('an override', () => {
  const query = readQuery({
    kind: 'TrendsQuery',
    series,
    dateRange: { date_from: '-7d' },
    properties: [{ key: 'a', value: 1 }],
  })

  test('replaces dates and adds properties', () => {
    expect(withOverride(query, { date_from: '-30d', properties: [{ key: 'b', value: 2 }] })).toMatchObject({
      dateRange: { date_from: '-30d', date_to: undefined },
      properties: {
        type: 'AND',
        values: [
          { type: 'AND', values: [{ key: 'a' }] },
          { type: 'AND', values: [{ key: 'b' }] },
        ],
      },
    })
  })

  test.each([
    [{ date_from: 'garbage' }, ['filters_override', 'date_from']],
    [{ date_to: 'garbage' }, ['filters_override', 'date_to']],
    [{ properties: [{}] }, ['filters_override', 'properties', 0]],
  ])('of %j is refused', (override, path) => {
    expect(() => withOverride(query, override)).toThrow(expect.objectContaining({ path }))
  })

  test('of nothing changes nothing', () => {
    expect(withOverride(query, undefined)).toEqual(query)
    expect(withOverride(query, {})).toMatchObject({
      dateRange: { date_from: '-7d' },
      properties: { values: [{ values: [{ key: 'a' }] }] },
    })
  })
})
