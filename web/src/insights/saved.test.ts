import { describe, expect, it } from 'vitest'
import type { Insight, Json } from '../api/types.ts'
import type { Draft } from './draft.ts'
import { toNode } from './node.ts'
import { draftOf } from './saved.ts'

const saved = (query: unknown) => ({ query }) as Insight
const DRAFTS: Record<string, Draft> = {
  'a trend': { kind: 'trends', series: [{ event: 'a', math: 'sum', property: 'amount', name: 'Money' }], from: '-60d' },
  'a formula': {
    kind: 'trends',
    series: [{ event: 'a' }, { event: 'b', math: 'dau' }],
    formula: 'A / B',
    interval: 'week',
  },
  'a ranking': {
    kind: 'trends',
    series: [{ event: null }],
    display: 'ranking',
    breakdown: { property: '$pathname', type: 'event' },
  },
  'a comparison of real people': { kind: 'trends', series: [{ event: 'a' }], compare: true, testAccounts: true },
  'a funnel': {
    kind: 'funnel',
    series: [{ event: 'a' }, { event: 'b' }],
    viz: 'trends',
    window: 3,
    windowUnit: 'hour',
    order: 'strict',
    interval: 'week',
  },
  'a retention': {
    kind: 'retention',
    series: [{ event: 'a' }],
    returning: 'b',
    period: 'Week',
    intervals: 6,
    firstTime: false,
  },
  'a retention by any event': { kind: 'retention', series: [{ event: null }], returning: null },
  paths: { kind: 'paths', series: [], pathTypes: ['custom_event'], steps: 3, startPoint: '/a', endPoint: '/b' },
  'a lifecycle': { kind: 'lifecycle', series: [{ event: 'a' }], interval: 'week' },
  'a stickiness': { kind: 'stickiness', series: [{ event: 'a' }], compare: true },
}

describe('an insight that another client saved', () => {
  it.each(Object.entries(DRAFTS))('asks the same in the builder: %s', (_, draft) => {
    const node = toNode(draft)
    const read = draftOf(saved({ kind: 'InsightVizNode', source: node as Json }))
    expect(read && toNode(read)).toEqual(node)
  })

  it('is nothing for the builder when it is of no kind that it knows', () => {
    expect(draftOf(saved({ kind: 'DataVisualizationNode', source: { kind: 'Unheard' } }))).toBe(undefined)
  })
})
