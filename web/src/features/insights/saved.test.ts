import { describe, expect, it } from 'vitest'
import type { Insight } from '../../api/contract.ts'
import type { Json } from '../../lib/json.ts'
import type { Draft } from './draft.ts'
import { toNode } from './node.ts'
import { draftOf, savedQuery } from './saved.ts'

const insight = (query: unknown) => ({ query: query as Json }) as Insight
const series = [{ event: 'signed up', math: 'dau', name: 'New' }, { event: null }]
const filters = [{ key: 'plan', type: 'person' as const, operator: 'exact', value: ['team'] }]

const DRAFTS: Draft[] = [
  {
    kind: 'trends',
    series,
    filters,
    formula: 'A / B',
    compare: true,
    display: 'pie',
    testAccounts: true,
    bots: 'exclude',
  },
  {
    kind: 'trends',
    series,
    from: '-7d',
    to: '-1d',
    interval: 'week',
    breakdown: [{ property: 'plan', type: 'person' }],
  },
  {
    kind: 'trends',
    series,
    breakdown: [
      { property: 'plan', type: 'person' },
      { property: 'price', type: 'event', bins: 4 },
      { property: 'size', type: 'group', group_type_index: 1 },
    ],
    breakdownLimit: 5,
    hideOther: true,
    compare: true,
    compareTo: '-3w',
  },
  { kind: 'trends', series, breakdown: [{ property: 'price', type: 'event', bins: 8 }] },
  {
    kind: 'trends',
    series,
    breakdown: [
      { property: 'all', type: 'cohort' },
      { property: '7', type: 'cohort' },
    ],
  },
  {
    kind: 'trends',
    series,
    smoothing: 7,
    unit: 'currency',
    prefix: '~',
    suffix: ' a day',
    decimals: 0,
    log: true,
    trendLine: true,
    goals: [{ label: 'Target', value: 12.5 }],
  },
  { kind: 'retention', series: [{ event: 'a' }], breakdown: [{ property: 'plan', type: 'person' }] },
  { kind: 'funnel', series, viz: 'trends', interval: 'month', order: 'strict', window: 3, windowUnit: 'hour' },
  { kind: 'funnel', series, compare: true },
  { kind: 'retention', series: [{ event: 'a' }], returning: null, period: 'Week', intervals: 5, firstTime: false },
  { kind: 'paths', series: [], pathTypes: ['$screen'], startPoint: '/a', endPoint: '/b', steps: 3 },
  { kind: 'lifecycle', series: [{ event: 'a' }], interval: 'week' },
  { kind: 'stickiness', series, compare: true },
  { kind: 'sql', series: [], sql: 'select 1', display: 'bar', from: '-7d' },
  { kind: 'sql', series: [], sql: 'select 1' },
]

describe('a saved insight', () => {
  it.each(DRAFTS)('opens as it was: $kind $viz$display', (draft) => {
    expect(draftOf(insight(savedQuery(draft)))).toEqual(draft)
    expect(draftOf(insight(JSON.stringify(savedQuery(draft))))).toEqual(draft)
  })

  it.each(DRAFTS)('asks the same when only its node is known: $kind $viz$display', (draft) => {
    const found = draftOf(insight({ kind: 'DataTableNode', source: toNode(draft) }))
    expect(found && toNode(found)).toEqual(toNode(draft))
  })

  it('draws as it did elsewhere, by the names that other clients know', () => {
    const trendsFilter = {
      display: 'ActionsLineGraph',
      aggregationAxisFormat: 'percentage_scaled',
      aggregationAxisPrefix: '~',
      aggregationAxisPostfix: '!',
      decimalPlaces: 1,
      yAxisScaleType: 'log10',
      showTrendLines: true,
      goalLines: [{ label: 'Target', value: 5 }],
      smoothingIntervals: 3,
    }
    const node = { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'a' }], trendsFilter }
    const draft = draftOf(insight({ kind: 'InsightVizNode', source: node }))
    expect(draft).toMatchObject({ unit: 'percentage_scaled', log: true, goals: [{ value: 5 }], smoothing: 3 })
    expect(savedQuery(draft as Draft)).toMatchObject({ source: { trendsFilter } })
    const odd = { goalLines: 'x', decimalPlaces: 'many', aggregationAxisFormat: 'hats' }
    expect(draftOf(insight({ ...node, trendsFilter: odd }))).toEqual({ kind: 'trends', series: [{ event: 'a' }] })
  })

  it('made elsewhere has the display it was given', () => {
    const display = (kind: string, source: object, name: string) =>
      draftOf(insight({ kind, source, display: name }))?.display
    expect(display('DataVisualizationNode', { kind: 'HogQLQuery', query: 'select 1' }, 'ActionsAreaGraph')).toBe('line')
    expect(display('DataVisualizationNode', { kind: 'HogQLQuery', query: 'select 1' }, 'TwoDimensionalHeatmap')).toBe(
      undefined,
    )
    const trends = (shown: string) => ({ kind: 'TrendsQuery', series: [], trendsFilter: { display: shown } })
    expect(draftOf(insight(trends('WorldMap')))?.display).toBe('ranking')
    expect(draftOf(insight(trends('ActionsBar')))?.display).toBe('bar')
  })

  it('with filters in groups is read as a list where all of them must hold, else as groups', () => {
    const node = (properties: object) => ({
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'a' }],
      properties,
    })
    const grouped = (outer: string, ...inner: string[]) =>
      node({ type: outer, values: inner.map((type) => ({ type, values: [filters[0], filters[0]] })) })
    expect(draftOf(insight(grouped('AND', 'AND')))?.filters).toHaveLength(2)
    expect(draftOf(insight(grouped('AND', 'AND', 'AND')))?.filters).toHaveLength(4)
    expect(draftOf(insight(grouped('AND', 'OR')))?.filterGroups).toEqual({
      match: 'all',
      groups: [{ match: 'any', filters: [filters[0], filters[0]] }],
    })
    for (const query of [grouped('OR', 'AND', 'OR'), grouped('AND', 'OR', 'AND'), grouped('OR', 'AND', 'AND')]) {
      const draft = draftOf(insight(query)) as Draft
      expect(toNode(draft).properties).toEqual(query.properties)
    }
    const loose = { type: 'OR', values: [filters[0], filters[0]] }
    expect(draftOf(insight(node(loose)))?.filterGroups?.groups).toMatchObject([{ match: 'any' }])
    const deep = { type: 'AND', values: [{ type: 'OR', values: [filters[0], { type: 'AND', values: [filters[0]] }] }] }
    expect(draftOf(insight(node(deep)))).toBeUndefined()
    expect(draftOf(insight(node([filters[0]] as object)))?.filters).toHaveLength(1)
  })

  it('asks in groups, without those that are still empty or unfinished', () => {
    const filterGroups = {
      match: 'any' as const,
      groups: [
        { match: 'all' as const, filters },
        { match: 'any' as const, filters: [{ key: 'plan', type: 'person' as const, operator: 'exact' }] },
        { match: 'any' as const, filters: [] },
      ],
    }
    const draft: Draft = { kind: 'trends', series, filterGroups }
    expect(toNode(draft).properties).toEqual({ type: 'OR', values: [{ type: 'AND', values: filters }] })
    expect(draftOf(insight(savedQuery(draft)))).toEqual(draft)
    // As on a dashboard with filters of its own.
    expect(toNode({ ...draft, filters }).properties).toEqual({
      type: 'AND',
      values: [
        { type: 'OR', values: [{ type: 'AND', values: filters }] },
        { type: 'AND', values: filters },
      ],
    })
  })

  it('of version 0.1 has one breakdown, which stands alone', () => {
    const kept = { kind: 'trends', series: [], breakdown: { property: 'plan', type: 'person' } }
    expect(draftOf(insight({ kind: 'InsightVizNode', source: {}, footfallDraft: kept }))?.breakdown).toEqual([
      { property: 'plan', type: 'person' },
    ])
  })

  it('is not guessed at where the builder has no words for it', () => {
    expect(draftOf(insight({ kind: 'TrendsQuery', series: [{ kind: 'ActionsNode', id: 1 }] }))).toBeUndefined()
    expect(draftOf(insight({ kind: 'TrendsQuery', series: [], breakdownFilter: { breakdowns: [{}] } }))).toBeUndefined()
    const byCohorts = { breakdown: Array.from({ length: 11 }, (_, id) => id), breakdown_type: 'cohort' }
    expect(draftOf(insight({ kind: 'TrendsQuery', series: [], breakdownFilter: byCohorts }))).toBeUndefined()
    expect(draftOf(insight({ kind: 'EventsQuery', select: ['*'] }))).toBeUndefined()
    expect(draftOf(insight({ kind: 'HogQLQuery' }))).toBeUndefined()
    expect(draftOf(insight(null))).toBeUndefined()
  })
})
