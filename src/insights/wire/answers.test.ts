import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { insightAnswerSchemas, legacyAnswerSchemas } from '../../contract/results/index.ts'
import { readQuery } from '../parse/read-query.ts'
import { runInsight } from '../run/insight.ts'
import { legacyEnvelope, queryEnvelope } from './envelope.ts'

const NOW = '2020-01-04T13:00:00Z'
let engine: TestEngine
let project: TestProject
beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  const did = (distinctId: string, event: string, at: string, plan: string) => ({
    event,
    distinctId,
    at: `2020-01-0${at}Z`,
    properties: { plan, $current_url: `https://shop/${event}` },
  })
  await project.seed([
    did('x', '$pageview', '1T10:00:00', 'free'),
    did('x', 'buy', '2T10:00:00', 'free'),
    did('y', '$pageview', '1T11:00:00', 'pro'),
    did('y', 'look', '1T11:30:00', 'pro'),
    did('y', 'buy', '2T11:00:00', 'pro'),
    did('z', '$pageview', '3T11:00:00', 'pro'),
    did('z', '$pageview', '4T11:00:00', 'pro'),
  ])
})
afterAll(() => engine.stop())

const of = (event: string, more: object = {}) => ({ kind: 'EventsNode', event, ...more })
const RANGE = { dateRange: { date_from: '2020-01-01', date_to: '2020-01-04' } }
const series = [of('$pageview'), of('buy', { properties: [{ key: 'plan', value: ['pro', 'free'] }], custom_name: 'B' })]
const breakdownFilter = { breakdown: 'plan' }
const compareFilter = { compare: true }
const trends = { kind: 'TrendsQuery', ...RANGE, series }
const funnel = { kind: 'FunnelsQuery', ...RANGE, series }
const correlation = {
  kind: 'FunnelCorrelationQuery',
  source: { kind: 'FunnelsActorsQuery', source: funnel, funnelStep: 1 },
}
const either = {
  type: 'OR',
  values: [
    { key: 'plan', operator: 'is_set' },
    { type: 'AND', values: [{ key: 'a', value: 1 }] },
  ],
}

describe('answers are what the contract says, and nothing else', () => {
  test.each<[string, object]>([
    ['a trend', trends],
    ['a trend with a breakdown, compared', { ...trends, breakdownFilter, compareFilter }],
    [
      'a trend with two breakdowns',
      { ...trends, breakdownFilter: { breakdowns: [{ property: 'plan' }, { property: 'a' }] } },
    ],
    ['a formula', { ...trends, trendsFilter: { formulaNodes: [{ formula: 'A/B', custom_name: 'Rate' }] } }],
    ['one number', { ...trends, trendsFilter: { display: 'BoldNumber' } }],
    ['one number of a formula', { ...trends, trendsFilter: { display: 'BoldNumber', formula: 'A+B' } }],
    ['groups of filters', { ...trends, series: [of('buy', { properties: either })] }],
    ['events counted as one', { ...trends, series: [{ kind: 'GroupNode', nodes: series }] }],
    ['a funnel', funnel],
    ['a funnel with a breakdown, compared', { ...funnel, breakdownFilter, compareFilter }],
    ['times', { ...funnel, funnelsFilter: { funnelVizType: 'time_to_convert' } }],
    ['times, compared', { ...funnel, compareFilter, funnelsFilter: { funnelVizType: 'time_to_convert' } }],
    ['a funnel over time', { ...funnel, breakdownFilter, funnelsFilter: { funnelVizType: 'trends' } }],
    ['no conversions', { ...funnel, series: [of('none'), of('nothing')] }],
    ['correlated events', { ...correlation, funnelCorrelationType: 'events' }],
    [
      'correlated properties',
      { ...correlation, funnelCorrelationType: 'properties', funnelCorrelationNames: ['plan'] },
    ],
    [
      'correlated properties of events',
      { ...correlation, funnelCorrelationType: 'event_with_properties', funnelCorrelationEventNames: ['look'] },
    ],
    ['retention', { kind: 'RetentionQuery', ...RANGE }],
    ['retention with a breakdown', { kind: 'RetentionQuery', ...RANGE, breakdownFilter }],
    ['lifecycle', { kind: 'LifecycleQuery', ...RANGE, series: [of('$pageview')] }],
    ['stickiness', { kind: 'StickinessQuery', ...RANGE, series, compareFilter }],
    ['paths', { kind: 'PathsQuery', ...RANGE }],
  ])('%s', async (_, node) => {
    const answer = await runInsight(project.context(NOW), readQuery(node))
    const url = () => 'https://shop/people'
    const links = { point: url, step: url, correlation: url, retention: url }
    const { kind } = answer.result
    const asked = onWire(queryEnvelope(answer, { lastRefresh: Date.parse(NOW), explain: true }))
    expect(insightAnswerSchemas[kind].parse(asked)).toEqual(asked)
    const legacy = onWire(legacyEnvelope(answer, links, { isCached: true, next: null }))
    expect(legacyAnswerSchemas[kind].parse(legacy)).toEqual(legacy)
  })
})

const onWire = (answer: object): unknown => JSON.parse(JSON.stringify(answer))
