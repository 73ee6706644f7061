/** Every insight in SQL that people run: its numbers are those of the answer. Random questions: the differential tests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sameInSql } from '../../../test/support/insights/same-in-sql.ts'
import { personUuid, seedPersons } from '../../../test/support/insights/seed.ts'
import { openTestEngine, type TestEngine, type TestProject } from '../../../test/support/insights/test-engine.ts'
import { actionStep, nodeOfStep } from '../definitions/action.ts'
import { readCriteria } from '../definitions/cohort.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { readQuery } from '../parse/read-query.ts'
import { runInsight } from '../run/insight.ts'

const NOW = '2024-03-20T12:00:00Z'
let engine: TestEngine
let project: TestProject

const refuse = (message: string): never => {
  throw new Error(message)
}
const definitions: Definitions = {
  actions: new Map([
    [
      4,
      {
        id: 4,
        name: 'Clicked or bought',
        nodes: [
          { event: '$autocapture', text: 'Buy now' },
          { event: 'bought', properties: [{ key: 'price', type: 'event', operator: 'gte', value: 10 }] },
        ].map((step) => nodeOfStep(actionStep.parse(step))),
      },
    ],
  ]),
  cohorts: new Map(
    ['pro', 'free'].map((plan, at) => [
      at + 7,
      {
        id: at + 7,
        name: `On ${plan}`,
        isStatic: false,
        criteria: readCriteria(
          { properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: plan }] } },
          refuse,
        ),
      },
    ]),
  ),
}

const CHAIN = 'button.primary:attr__id="buy"nth-child="1"text="Buy now";div.cart:nth-child="2"'
const PEOPLE = Array.from({ length: 12 }, (_, index) => `p${index}`)
const PAGES = ['/', '/pricing', '/signup', '/pricing/', '/docs', '/pay']

beforeAll(async () => {
  engine = await openTestEngine()
  project = engine.project()
  await seedPersons(
    project.clickhouse,
    project.id,
    PEOPLE.map((name, at) => ({
      name,
      createdAt: `2024-03-${String(1 + (at % 12)).padStart(2, '0')}T08:00:00Z`,
      properties: { plan: at % 3 === 0 ? 'pro' : 'free', email: `${name}@${at % 4 === 0 ? 'acme.test' : 'else.test'}` },
    })),
  )
  const events = PEOPLE.flatMap((name, at) =>
    Array.from({ length: 14 }, (_, n) => {
      const day = 1 + ((at * 3 + n * 2) % 19)
      const minute = (at * 7 + n * 11) % 60
      const kinds = ['$pageview', 'bought', '$autocapture', 'signed up', '$pageview'] as const
      const event = kinds[(at + n) % kinds.length] ?? '$pageview'
      return {
        event,
        distinctId: name,
        at: `2024-03-${String(day).padStart(2, '0')}T${String(8 + (n % 3)).padStart(2, '0')}:${String(minute).padStart(2, '0')}:${String(n).padStart(2, '0')}Z`,
        sessionId: `${name} ${day}`,
        groups: { 0: at % 2 === 0 ? 'acme' : n % 2 === 0 ? 'umbrella' : '' },
        elementsChain: event === '$autocapture' ? (n % 2 === 0 ? CHAIN : 'a:text="Read"') : '',
        properties: {
          price: (at * 5 + n) % 23,
          colour: n % 5 === 0 ? null : (['red', 'green', 'blue', "o'clock"][(at + n) % 4] ?? ''),
          $current_url: `https://x.test${PAGES[(at + n) % PAGES.length]}`,
        },
        personProperties: {
          plan: at % 3 === 0 ? 'pro' : 'free',
          email: `${name}@${at % 4 === 0 ? 'acme.test' : 'else.test'}`,
        },
      }
    }),
  )
  await project.seed(events)
  expect(personUuid('p0')).toHaveLength(36)
})
afterAll(() => engine.stop())

const RANGE = { date_from: '2024-03-04', date_to: '2024-03-18' }
const event = (name: string | null, more: object = {}) => ({ kind: 'EventsNode', event: name, ...more })
const ANY_EVENT = { id: null, type: 'events' }
const page = (path: string) =>
  event('$pageview', { properties: [{ key: '$current_url', value: `https://x.test${path}` }] })
const ACTION = { kind: 'ActionsNode', id: 4, name: 'Clicked or bought' }
const trend = (more: object) => ({ kind: 'TrendsQuery', series: [event('bought')], dateRange: RANGE, ...more })
const funnel = (more: object) => ({
  kind: 'FunnelsQuery',
  series: [event('$pageview'), ACTION, event('signed up')],
  dateRange: RANGE,
  ...more,
})
const retention = (filter: object, more: object = {}) => ({
  kind: 'RetentionQuery',
  dateRange: RANGE,
  retentionFilter: {
    targetEntity: { id: 'signed up', type: 'events' },
    returningEntity: { id: 4, type: 'actions' },
    totalIntervals: 8,
    period: 'Day',
    ...filter,
  },
  ...more,
})
const paths = (filter: object) => ({
  kind: 'PathsQuery',
  dateRange: RANGE,
  pathsFilter: { includeEventTypes: ['$pageview'], edgeLimit: 200, ...filter },
})
const TOTAL = { trendsFilter: { display: 'ActionsBarValue' } }
const BY_COLOUR = { breakdownFilter: { breakdown: 'colour', breakdown_limit: 2 } }
const BY_COHORT = { breakdownFilter: { breakdown: ['all', 7, 8], breakdown_type: 'cohort' } }
const COMPARED = { compareFilter: { compare: true } }
const SEVERAL = [event('bought'), event('$pageview', { math: 'dau' }), ACTION]

const QUESTIONS: Record<string, object> = {
  'several series': trend({ series: SEVERAL }),
  'several series in total': trend({ series: SEVERAL, ...TOTAL }),
  'an action by week': trend({ series: [ACTION], interval: 'week' }),
  'an action with a filter of its own, by hour': trend({
    series: [{ ...ACTION, properties: [{ key: 'colour', value: 'red' }] }],
    interval: 'hour',
    dateRange: { date_from: '2024-03-10', date_to: '2024-03-12T23:00:00' },
  }),
  'several events as one': trend({ series: [{ kind: 'GroupNode', nodes: [event('bought'), event('signed up')] }] }),
  'a breakdown with others': trend(BY_COLOUR),
  'a breakdown without others': trend({
    breakdownFilter: { ...BY_COLOUR.breakdownFilter, breakdown_hide_other_aggregation: true },
  }),
  'two breakdowns of several series': trend({
    series: SEVERAL,
    breakdownFilter: { breakdowns: [{ property: 'colour' }, { property: 'plan', type: 'person' }], breakdown_limit: 3 },
  }),
  'numbers in ranges': trend({ breakdownFilter: { breakdown: 'price', breakdown_histogram_bin_count: 4 } }),
  'a breakdown by an expression': trend({
    breakdownFilter: { breakdown: 'lower(properties.colour)', breakdown_type: 'hogql' },
  }),
  'a breakdown by a property of the session': trend({
    breakdownFilter: { breakdown: '$entry_pathname', breakdown_type: 'session' },
  }),
  'cohorts side by side': trend({ series: SEVERAL, ...BY_COHORT }),
  'cohorts in total, compared': trend({ ...BY_COHORT, ...COMPARED, ...TOTAL }),
  'a comparison': trend({ series: SEVERAL, ...COMPARED }),
  'a comparison broken down': trend({ ...COMPARED, ...BY_COLOUR, series: [event('bought', { math: 'dau' })] }),
  'a comparison with another week': trend({ compareFilter: { compare: true, compare_to: '-1w' } }),
  'added up over time': trend({ series: SEVERAL, trendsFilter: { display: 'ActionsLineGraphCumulative' } }),
  'added up over time, broken down': trend({ ...BY_COLOUR, trendsFilter: { display: 'ActionsLineGraphCumulative' } }),
  'without test accounts': trend({ filterTestAccounts: true, series: SEVERAL }),
  'members of a cohort': trend({ properties: [{ key: 'id', type: 'cohort', value: 7 }] }),
  'not members of a cohort': trend({ properties: [{ key: 'id', type: 'cohort', value: 7, operator: 'not_in' }] }),
  'filters of many kinds': trend({
    series: [event(null)],
    properties: {
      type: 'OR',
      values: [
        {
          type: 'AND',
          values: [
            { key: 'price', operator: 'between', value: [3, 9] },
            { key: 'colour', operator: 'not_icontains', value: 'RE' },
          ],
        },
        {
          type: 'AND',
          values: [
            { key: 'email', type: 'person', operator: 'ends_with', value: 'acme.test' },
            { key: 'colour', operator: 'is_not', value: ['red', "o'clock"] },
          ],
        },
        { type: 'AND', values: [{ key: 'text', type: 'element', operator: 'exact', value: 'Buy now' }] },
        {
          type: 'AND',
          values: [{ key: 'selector', type: 'element', operator: 'exact', value: '.cart > button.primary' }],
        },
        { type: 'AND', values: [{ key: 'properties.price > 20', type: 'hogql' }] },
      ],
    },
  }),
  'groups of a type': trend({ series: [event('bought', { math: 'unique_group', math_group_type_index: 0 })] }),
  'a sum and a quantile': trend({
    series: [
      event('bought', { math: 'sum', math_property: 'price' }),
      event('bought', { math: 'p90', math_property: 'price' }),
    ],
  }),
  'an expression counted': trend({
    series: [event('bought', { math: 'hogql', math_hogql: 'uniq(properties.colour)' })],
  }),
  'seconds of sessions': trend({ series: [event('bought', { math: 'avg', math_property: '$session_duration' })] }),
  'times a person': trend({ series: [event('$pageview', { math: 'avg_count_per_actor' })], ...BY_COLOUR }),
  'active in a week': trend({ series: [event('$pageview', { math: 'weekly_active' })] }),
  'the first time': trend({ series: [event('bought', { math: 'first_time_for_user' })], ...BY_COLOUR }),
  'a funnel with an action': funnel({}),
  'a funnel of a day': funnel({ funnelsFilter: { funnelWindowInterval: 1 } }),
  'a funnel broken down': funnel({ ...BY_COLOUR }),
  'a funnel broken down by the last value': funnel({
    ...BY_COLOUR,
    funnelsFilter: { breakdownAttributionType: 'last_touch' },
  }),
  'a funnel broken down by every value': funnel({
    ...BY_COLOUR,
    funnelsFilter: { breakdownAttributionType: 'all_events' },
  }),
  'a funnel of two breakdowns': funnel({
    breakdownFilter: { breakdowns: [{ property: 'colour' }, { property: 'plan', type: 'person' }], breakdown_limit: 3 },
  }),
  'a funnel compared': funnel(COMPARED),
  'a funnel by cohort, without test accounts': funnel({ ...BY_COHORT, filterTestAccounts: true }),
  'a funnel of groups': funnel({ aggregation_group_type_index: 0 }),
  'a funnel of two pages': funnel({ series: [page('/'), page('/pricing')] }),
  'retention of the first time': retention({ retentionType: 'retention_first_time' }),
  'retention again and again': retention({ retentionType: 'retention_recurring', period: 'Week' }),
  'retention broken down': retention({ retentionType: 'retention_recurring' }, BY_COLOUR),
  'retention of all events, broken down into one value and the others': retention(
    { retentionType: 'retention_recurring', targetEntity: ANY_EVENT, returningEntity: ANY_EVENT },
    { breakdownFilter: { breakdown: 'colour', breakdown_limit: 1 } },
  ),
  'retention of the first time, into one value and the others': retention(
    { retentionType: 'retention_first_time', targetEntity: ANY_EVENT, returningEntity: ANY_EVENT },
    { breakdownFilter: { breakdown: 'colour', breakdown_limit: 1 } },
  ),
  'retention of the first time broken down': retention(
    { retentionType: 'retention_first_time' },
    { breakdownFilter: { breakdown: 'colour' } },
  ),
  'retention by cohort': retention({ retentionType: 'retention_recurring' }, BY_COHORT),
  'a lifecycle by day': { kind: 'LifecycleQuery', series: [ACTION], dateRange: RANGE },
  'a lifecycle by week, without test accounts': {
    kind: 'LifecycleQuery',
    series: [event('$pageview')],
    interval: 'week',
    dateRange: RANGE,
    filterTestAccounts: true,
  },
  'stickiness of several series': {
    kind: 'StickinessQuery',
    series: [event('$pageview'), event('bought')],
    dateRange: RANGE,
  },
  'stickiness compared, by week': {
    kind: 'StickinessQuery',
    series: [ACTION],
    interval: 'week',
    dateRange: RANGE,
    compareFilter: { compare: true },
  },
  'stickiness of days with two events': {
    kind: 'StickinessQuery',
    series: [event(null)],
    dateRange: RANGE,
    stickinessFilter: { stickinessCriteria: { operator: 'gte', value: 2 } },
  },
  paths: paths({}),
  'paths from a page': paths({ startPoint: 'https://x.test/pricing' }),
  'paths to a page': paths({ endPoint: 'https://x.test/pricing', stepLimit: 3 }),
  'paths from a page to another': paths({
    startPoint: 'https://x.test/',
    endPoint: 'https://x.test/docs',
    stepLimit: 4,
  }),
  'paths of all events, grouped': paths({
    includeEventTypes: ['$pageview', 'custom_event'],
    pathGroupings: ['https://x.test/p*'],
    excludeEvents: ['signed up'],
  }),
}

const internal = [{ key: 'email', type: 'person', operator: 'not_icontains', value: '@acme.test' }]

describe('a question as SQL', () => {
  it.each(Object.entries(QUESTIONS))('%s has the same numbers', async (_, node) => {
    const context = {
      ...project.context(NOW, { timezone: 'Europe/Berlin', week_start_day: 1, test_account_filters: internal }),
      definitions,
      propertyTypes: async () => () => null,
    }
    const answer = await runInsight(context, readQuery(node))
    expect(await sameInSql(context, answer)).toBeUndefined()
  })

  it.each([
    ['It has a formula over its series.', trend({ series: SEVERAL, trendsFilter: { formula: 'A / B' } })],
    ['It is smoothed', trend({ trendsFilter: { smoothingIntervals: 7 } })],
    ['It compares versions (semver_gt).', trend({ properties: [{ key: 'v', operator: 'semver_gt', value: '1.2.3' }] })],
    ['Its steps are strict', funnel({ funnelsFilter: { funnelOrderType: 'strict' } })],
    ['One event can be two of its steps', funnel({ series: [event('$pageview'), page('/pricing')] })],
    ['One event can be two of its steps', funnel({ series: [ACTION, event('bought')] })],
    ['It shows conversion over time', funnel({ funnelsFilter: { funnelVizType: 'trends' } })],
    ['It puts several intervals together.', retention({ retentionCustomBrackets: [1, 2] })],
    ['Its numbers are estimated', trend({ samplingFactor: 0.5 })],
  ])('%s: said where there is none', async (reason, node) => {
    const context = { ...project.context(NOW), definitions }
    expect(await sameInSql(context, await runInsight(context, readQuery(node)))).toContain(reason)
  })
})
