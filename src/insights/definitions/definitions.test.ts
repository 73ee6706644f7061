import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personUuid, seedMerges, seedPersons } from '../../../test/support/insights/seed.ts'
import {
  openTestEngine,
  resultOf,
  type TestEngine,
  type TestProject,
} from '../../../test/support/insights/test-engine.ts'
import type { CorrelationResult } from '../../contract/results/index.ts'
import { readQuery } from '../parse/read-query.ts'
import { runActors } from '../run/actors.ts'
import { runInsight } from '../run/insight.ts'
import { resultOnWire } from '../wire/envelope.ts'
import { type Action, actionStep, nodeOfStep } from './action.ts'
import { type Cohort, readCriteria } from './cohort.ts'
import type { Definitions } from './definitions.ts'
import { cohortMembers } from './members.ts'

const NOW = '2024-03-10T12:00:00Z'
const RANGE = { date_from: '2024-03-01', date_to: '2024-03-10' }

const action = (id: number, name: string, ...steps: object[]): Action => ({
  id,
  name,
  nodes: steps.map((step) => nodeOfStep(actionStep.parse(step))),
})
const refuse = (message: string): never => {
  throw new Error(message)
}
const cohort = (id: number, name: string, ...values: object[]): Cohort => ({
  id,
  name,
  isStatic: false,
  criteria: readCriteria({ properties: { type: 'AND', values } }, refuse),
})
const defined = (actions: Action[], cohorts: Cohort[] = []): Definitions => ({
  actions: new Map(actions.map((each) => [each.id, each])),
  cohorts: new Map(cohorts.map((each) => [each.id, each])),
})

describe('what a project has given names to', () => {
  let engine: TestEngine
  let project: TestProject
  const BUY =
    'button.btn.primary:attr__id="buy"href="/pay"nth-child="1"nth-of-type="1"text="Buy now";div.cart:nth-child="2"nth-of-type="1"'
  const SELL = 'a.btn:href="https://shop.example/sell?x=1"nth-child="1"nth-of-type="1"text="Sell"'

  const definitions = defined(
    [
      action(1, 'Entered', { event: '$pageview', url: '/welcome' }, { event: 'came by mail' }),
      action(2, 'Clicked buy', { event: '$autocapture', text: 'Buy now', selector: '.cart > button.primary' }),
      action(3, 'Nothing yet'),
      action(4, 'Dear', { event: 'paid', properties: [{ key: 'price', type: 'event', operator: 'gte', value: 10 }] }),
    ],
    [
      cohort(7, 'Buyers', {
        key: '2',
        type: 'behavioral',
        value: 'performed_event',
        event_type: 'actions',
        time_value: 30,
        time_interval: 'day',
      }),
      cohort(8, 'Pros', { key: 'plan', type: 'person', value: 'pro' }),
    ],
  )
  const context = () => ({ ...project.context(NOW, { hasOverrides: true }), definitions })
  const ask = async (node: object) => runInsight(context(), readQuery({ dateRange: RANGE, ...node }))
  const onWire = async (node: object) =>
    resultOnWire((await ask(node)).result) as readonly object[] as Record<string, unknown>[]
  const node = (id: number, more: object = {}) => ({ kind: 'ActionsNode', id, ...more })
  const event = (name: string, more: object = {}) => ({ kind: 'EventsNode', event: name, ...more })

  beforeAll(async () => {
    engine = await openTestEngine()
    project = engine.project()
    const view = (distinctId: string, at: string, url: string) => ({
      event: '$pageview',
      distinctId,
      at,
      properties: { $current_url: url },
    })
    await project.seed([
      view('ada', '2024-03-02T10:00:00Z', 'https://a.example/welcome?x=1'),
      { event: 'hesitated', distinctId: 'ada', at: '2024-03-02T10:30:00Z' },
      { event: '$autocapture', distinctId: 'ada', at: '2024-03-02T11:00:00Z', elementsChain: BUY },
      { event: 'paid', distinctId: 'ada', at: '2024-03-03T11:00:00Z', properties: { price: 12 } },
      { event: 'came by mail', distinctId: 'bob', at: '2024-03-03T10:00:00Z' },
      { event: '$autocapture', distinctId: 'bob', at: '2024-03-03T11:00:00Z', elementsChain: SELL },
      { event: 'paid', distinctId: 'bob', at: '2024-03-04T11:00:00Z', properties: { price: 5 } },
      view('cy', '2024-03-03T09:00:00Z', 'https://a.example/other'),
      // Of a person that was merged into ada.
      { event: 'came by mail', distinctId: 'anon', at: '2024-03-04T09:00:00Z' },
      { event: '$autocapture', distinctId: 'dan', at: '2024-01-02T11:00:00Z', elementsChain: BUY },
      view('dan', '2024-03-05T09:00:00Z', 'https://a.example/welcome'),
    ])
    await seedMerges(project.clickhouse, project.id, [{ old: 'anon', survivor: 'ada' }])
    await seedPersons(project.clickhouse, project.id, [
      { name: 'ada', properties: { plan: 'pro' } },
      { name: 'bob', properties: { plan: 'free' } },
      { name: 'cy', properties: { plan: 'pro' } },
      { name: 'dan', properties: { plan: 'pro' } },
      { name: 'anon', deleted: true, version: 101 },
      { name: 'eve', properties: { plan: 'pro' }, deleted: true, version: 200 },
    ])
  })
  afterAll(() => engine?.stop())

  describe('steps of an action', () => {
    const count = async (...steps: object[]) => {
      const answer = await runInsight(
        { ...context(), definitions: defined([action(9, 'Asked', ...steps)]) },
        readQuery({ kind: 'TrendsQuery', dateRange: RANGE, series: [node(9)] }),
      )
      return resultOf(answer, 'TrendsQuery').series[0]?.data.reduce((sum, each) => sum + each, 0)
    }
    it.each([
      ['an event', [{ event: 'paid' }], 2],
      ['any event', [{}], 10],
      ['either of two', [{ event: 'paid' }, { event: 'hesitated' }], 3],
      ['the same event twice, counted once', [{ event: 'paid' }, { event: 'paid' }], 2],
      ['a part of the address', [{ event: '$pageview', url: 'a.example/' }], 3],
      ['a part with anything in it', [{ url: 'https://%/welcome' }], 2],
      ['a point that is only a point', [{ url: 'aXexample' }], 0],
      ['the exact address', [{ url: 'https://a.example/welcome', url_matching: 'exact' }], 1],
      ['a pattern', [{ url: 'welcome$', url_matching: 'regex' }], 1],
      ['the text of what was clicked', [{ text: 'Buy now' }], 1],
      ['a part of the text', [{ text: 'buy', text_matching: 'contains' }], 1],
      ['not a part of it unless it is said', [{ text: 'Buy' }], 0],
      ['where it leads', [{ href: '/pay' }], 1],
      ['a pattern of where it leads', [{ href: '/sell\\?', href_matching: 'regex' }], 1],
      ['a tag', [{ tag_name: 'a' }], 1],
      ['a selector', [{ selector: '.cart > button.primary' }], 1],
      ['a selector that does not fit', [{ selector: '.cart > a' }], 0],
      ['properties', [{ event: 'paid', properties: [{ key: 'price', operator: 'lt', value: 10 }] }], 1],
    ] as const)('by %s', async (_, steps, expected) => expect(await count(...steps)).toBe(expected))
  })

  it('actions are series of trends, with their name', async () => {
    const [entered, none] = await onWire({ kind: 'TrendsQuery', series: [node(1), node(3)] })
    expect(entered).toMatchObject({ label: 'Entered', count: 4, action: { id: 1, type: 'actions', name: 'Entered' } })
    expect(none).toMatchObject({ label: 'Nothing yet', count: 0 })
    expect(await onWire({ kind: 'TrendsQuery', series: [node(99)] })).toEqual([])
    const [dau] = await onWire({
      kind: 'TrendsQuery',
      series: [node(1, { math: 'dau' })],
      trendsFilter: { display: 'BoldNumber' },
    })
    expect(dau?.aggregated_value).toBe(3)
    const [custom] = await onWire({ kind: 'TrendsQuery', series: [node(1, { custom_name: 'Came', name: 'In' })] })
    expect(custom).toMatchObject({ label: 'In', action: { custom_name: 'Came', name: 'In' } })
  })

  it('and steps and exclusions of funnels, whose events correlations leave out', async () => {
    const steps = [node(1), node(2)]
    expect(await onWire({ kind: 'FunnelsQuery', series: steps })).toMatchObject([
      { action_id: 1, name: 'Entered', type: 'actions', count: 3 },
      { action_id: 2, name: 'Clicked buy', type: 'actions', count: 1 },
    ])
    const exclusions = [{ ...event('hesitated'), funnelFromStep: 0, funnelToStep: 1 }]
    expect(await onWire({ kind: 'FunnelsQuery', series: steps, funnelsFilter: { exclusions } })).toMatchObject([
      { count: 3 },
      { count: 0 },
    ])
    expect(
      await onWire({
        kind: 'FunnelsQuery',
        series: [node(1), event('paid')],
        funnelsFilter: { exclusions: [{ ...node(2), funnelFromStep: 0, funnelToStep: 1 }] },
      }),
    ).toMatchObject([{ count: 3 }, { count: 1 }])
    const source = { kind: 'FunnelsQuery', dateRange: RANGE, series: [node(1), event('paid')] }
    const correlation = await ask({
      kind: 'FunnelCorrelationQuery',
      source: { kind: 'FunnelsActorsQuery', source },
      funnelCorrelationType: 'events',
    })
    const names = (resultOnWire(correlation.result) as CorrelationResult).events.map((each) => each.event.event)
    expect(names.sort()).toEqual(['$autocapture', 'hesitated'])
  })

  it('and of retention, lifecycle, stickiness and who stands behind them', async () => {
    const entity = { type: 'actions', id: 1 }
    const [first] = await onWire({
      kind: 'RetentionQuery',
      dateRange: { date_to: '2024-03-10' },
      retentionFilter: {
        period: 'Day',
        totalIntervals: 9,
        targetEntity: entity,
        returningEntity: { ...entity, id: 4 },
      },
    })
    expect(first).toMatchObject({ values: expect.arrayContaining([expect.objectContaining({ count: 1 })]) })
    const lifecycle = await onWire({ kind: 'LifecycleQuery', series: [node(1)] })
    expect(lifecycle[0]).toMatchObject({ label: 'Entered - new' })
    expect(lifecycle.some(({ count }) => Number(count) > 0)).toBe(true)
    expect(await onWire({ kind: 'StickinessQuery', series: [node(1)] })).toMatchObject([
      { label: 'Entered', data: [2, 1, 0, 0, 0, 0, 0, 0, 0, 0] },
    ])
    const behind = readQuery({
      kind: 'InsightActorsQuery',
      series: 0,
      source: { kind: 'TrendsQuery', dateRange: RANGE, series: [node(1)] },
    })
    const { actors } = await runActors(context(), behind as never, { limit: 10, offset: 0 })
    expect(actors.map(({ id }) => id).sort()).toEqual([personUuid('ada'), personUuid('bob'), personUuid('dan')].sort())
  })

  it('cohorts hold current persons: merged ones as their survivor, deleted ones not', async () => {
    expect(await cohortMembers(context(), 7)).toEqual([personUuid('ada')])
    expect((await cohortMembers(context(), 8)).sort()).toEqual(
      [personUuid('ada'), personUuid('cy'), personUuid('dan')].sort(),
    )
  })

  it('and filter every kind, also by what happened to somebody before a merge', async () => {
    const properties = [{ key: 'id', type: 'cohort', value: 7 }]
    const [mail] = await onWire({ kind: 'TrendsQuery', series: [event('came by mail')], properties })
    expect(mail?.count).toBe(1)
    expect(await onWire({ kind: 'FunnelsQuery', series: [node(1), event('paid')], properties })).toMatchObject([
      { count: 1 },
      { count: 1 },
    ])
    const without = [{ key: 'id', type: 'cohort', value: 7, operator: 'not_in' }]
    expect(await onWire({ kind: 'FunnelsQuery', series: [node(1), event('paid')], properties: without })).toMatchObject(
      [{ count: 2 }, { count: 1 }],
    )
    const [ofSeries] = await onWire({ kind: 'StickinessQuery', series: [node(1, { properties })] })
    expect(ofSeries?.data).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    const lifecycle = await onWire({ kind: 'LifecycleQuery', series: [event('paid')], properties })
    expect(lifecycle.reduce((sum, { count }) => sum + Math.max(0, Number(count)), 0)).toBe(1)
    await expect(
      ask({ kind: 'TrendsQuery', series: [event('paid')], properties: [{ key: 'id', type: 'cohort', value: 66 }] }),
    ).rejects.toThrow('There is no cohort "66" in this project.')
  })

  it('and stand side by side in breakdowns, with those behind each', async () => {
    const breakdownFilter = { breakdown_type: 'cohort', breakdown: [7, 8, 'all'] }
    expect(await onWire({ kind: 'TrendsQuery', series: [node(1)], breakdownFilter })).toMatchObject([
      { label: 'Buyers', breakdown_value: 7, count: 2 },
      { label: 'Pros', breakdown_value: 8, count: 3 },
      { label: 'all users', breakdown_value: 'all', count: 4 },
    ])
    expect(
      await onWire({
        kind: 'TrendsQuery',
        series: [node(1), event('paid')],
        breakdownFilter,
        trendsFilter: { formula: 'B/A', display: 'BoldNumber' },
      }),
    ).toMatchObject([{ aggregated_value: 0.5 }, { aggregated_value: 1 / 3 }, { aggregated_value: 0.5 }])
    const source = { kind: 'FunnelsQuery', dateRange: RANGE, series: [node(1), event('paid')], breakdownFilter }
    expect(await onWire(source)).toMatchObject([
      [{ breakdown: 'Buyers', breakdown_value: 7, count: 1 }, { count: 1 }],
      [{ breakdown: 'Pros', breakdown_value: 8, count: 2 }, { count: 1 }],
      [{ breakdown: 'all users', breakdown_value: 'all', count: 3 }, { count: 2 }],
    ])
    const retention = await onWire({
      kind: 'RetentionQuery',
      dateRange: { date_to: '2024-03-10' },
      breakdownFilter: { breakdowns: [{ type: 'cohort', property: 7 }] },
      retentionFilter: { totalIntervals: 10, targetEntity: { type: 'actions', id: 1 } },
    })
    expect(retention).toHaveLength(10)
    expect(retention[0]).toMatchObject({ breakdown_value: '7' })
    const dropped = readQuery({ kind: 'FunnelsActorsQuery', source, funnelStep: -2, funnelStepBreakdown: '8' })
    const { actors } = await runActors(context(), dropped as never, { limit: 10, offset: 0 })
    expect(actors.map(({ id }) => id)).toEqual([personUuid('dan')])
    const mixed = {
      breakdowns: [
        { type: 'cohort', property: 7 },
        { type: 'event', property: 'price' },
      ],
    }
    await expect(ask({ kind: 'TrendsQuery', series: [node(1)], breakdownFilter: mixed })).rejects.toThrow(
      'cannot be combined',
    )
  })
})
