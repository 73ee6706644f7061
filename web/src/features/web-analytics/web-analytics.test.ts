import { describe, expect, it } from 'vitest'
import { csvLines, shownColumns } from './columns.ts'
import { type Filter, propertiesOf, toggled, valueName } from './dimensions.ts'
import { intervalsOf } from './intervals.ts'
import { overviewNode, tableNode } from './nodes.ts'
import { peopleSource } from './people.ts'
import { webSearch } from './search.ts'

const FIREFOX: Filter = { on: 'browser', is: 'Firefox' }

describe('a row as a filter', () => {
  it.each([
    [FIREFOX, [{ key: '$browser', type: 'session', operator: 'exact', value: ['Firefox'] }]],
    [{ on: 'page', is: '/pricing' }, [{ key: '$pathname', type: 'event', operator: 'exact', value: ['/pricing'] }]],
    [
      { on: 'campaign', is: null },
      [{ key: '$entry_utm_campaign', type: 'session', operator: 'is_not_set', value: 'is_not_set' }],
    ],
    [
      { on: 'region', is: ['DE', 'BE', 'Berlin'] },
      [
        { key: '$geoip_country_code', type: 'session', operator: 'exact', value: ['DE'] },
        { key: '$geoip_subdivision_1_code', type: 'session', operator: 'exact', value: ['BE'] },
      ],
    ],
  ] as [Filter, unknown][])('%o', (filter, expected) => {
    expect(propertiesOf(filter)).toEqual(expected)
  })

  it('replaces another of its kind, and goes when it is chosen again', () => {
    const chosen = toggled([{ on: 'country', is: 'FR' }], FIREFOX)
    expect(toggled(chosen, { on: 'browser', is: 'Safari' })).toEqual([
      { on: 'country', is: 'FR' },
      { on: 'browser', is: 'Safari' },
    ])
    expect(toggled(chosen, FIREFOX)).toEqual([{ on: 'country', is: 'FR' }])
  })

  it('has a name for people', () => {
    expect(valueName('country', 'DE')).toBe('Germany')
    expect(valueName('city', ['DE', 'Berlin'])).toBe('Berlin, Germany')
    expect(valueName('language', 'pt-BR')).toBe('Brazilian Portuguese')
    expect(valueName('language', 'no such language')).toBe('no such language')
    expect(valueName('campaign', null)).toBe('No campaign')
    expect(valueName('city', [null, null])).toBe('Unknown')
  })
})

it('what is not of its type is left out of an address', () => {
  const state = webSearch.parse({
    from: '-6d',
    metric: 'no such metric',
    filters: [FIREFOX, { on: 'shoe size', is: '42' }, 7],
    places: 'map',
  })
  expect(state).toMatchObject({ from: '-6d', places: 'map', filters: [FIREFOX] })
  expect(state.metric).toBeUndefined()
})

it('questions carry range, filters, goal and bots of the address', () => {
  const state = webSearch.parse({ from: '-6d', filters: [FIREFOX], goal: { event: 'signed up' }, bots: 'only' })
  expect(overviewNode(state)).toEqual({
    kind: 'WebOverviewQuery',
    dateRange: { date_from: '-6d' },
    properties: propertiesOf(FIREFOX),
    bots: 'only',
    conversionGoal: { customEventName: 'signed up' },
    compareFilter: { compare: true },
  })
  expect(tableNode({ ...state, compare: false }, 'page', 8)).not.toHaveProperty('compareFilter')
  expect(tableNode(state, 'page', 8)).toMatchObject({ breakdownBy: 'Page', includeScrollDepth: true, limit: 8 })
})

it('the people behind a row fit its filter instead of the one that is on', () => {
  const state = webSearch.parse({ filters: [FIREFOX] })
  const { source } = peopleSource(state, { row: { on: 'browser', is: 'Safari' } }) as {
    source: { properties: unknown }
  }
  expect(source.properties).toEqual(propertiesOf({ on: 'browser', is: 'Safari' }))
})

it('the people of a day of the period before are asked for in that period', () => {
  const asked = peopleSource(webSearch.parse({ from: '-6d' }), { day: '2026-11-02', before: true })
  expect(asked).toMatchObject({
    compare: 'previous',
    day: '2026-11-02',
    source: { dateRange: { date_from: '-6d' }, compareFilter: { compare: true } },
  })
})

it.each([
  ['dStart', undefined, 'hour'],
  ['-24h', undefined, 'hour'],
  ['-6d', undefined, 'day'],
  ['-29d', undefined, 'day'],
  ['-179d', undefined, 'week'],
  ['yStart', undefined, 'month'],
  ['all', undefined, 'month'],
  ['2026-01-01', '2026-01-02', 'hour'],
])('a range from %s to %s is drawn by the %s', (from, to, interval) => {
  expect(intervalsOf(from, to, Date.parse('2026-11-16'))[0]).toBe(interval)
})

it('a file has the numbers of the period before where there is one', () => {
  const columns = ['context.columns.breakdown_value', 'context.columns.visitors', 'context.columns.bounce_rate']
  expect(shownColumns(columns).map(({ label }) => label)).toEqual(['Visitors', 'Bounce'])
  const name = (row: readonly unknown[]) => String(row[0])
  expect(csvLines('Page', [['/', [2, null], [0.5, null]]], columns, name)).toEqual([
    ['Page', 'Visitors', 'Bounce'],
    ['/', 2, 0.5],
  ])
  expect(csvLines('Page', [['/', [2, 1], [0.5, null]]], columns, name)).toEqual([
    ['Page', 'Visitors', 'Visitors before', 'Bounce', 'Bounce before'],
    ['/', 2, 1, 0.5, null],
  ])
})
