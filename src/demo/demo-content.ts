import type { JsonObject } from '../lib/json.ts'
import type { PlaylistFields } from '../recordings/index.ts'
import { type DemoEvent, SITE } from './journey.ts'

/** Insights and playlists for the demo data: queries in the form that any client sends. */
export interface DemoInsight {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly favorited?: true
  readonly source: JsonObject
  /** The position on the dashboard, on a grid of 12 columns; without one it is not on the dashboard. */
  readonly box?: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

export const DASHBOARD = {
  name: 'Product overview',
  description: 'How Harbour is doing: who comes, who gets started, who stays and who pays.',
  pinned: true,
  tags: ['demo'],
} as const

/** What happened so many days ago, on every chart of the project. */
export const ANNOTATION = { content: 'Spring campaign started', scope: 'project', daysAgo: 12 } as const

const event = (name: string | null, more: JsonObject = {}): JsonObject => ({
  kind: 'EventsNode',
  event: name,
  ...more,
})
const entity = (name: string): JsonObject => ({ id: name, name, type: 'events', kind: 'EventsNode' })
const since = (from: string) => ({ dateRange: { date_from: from } })
const by = (property: string) => ({
  breakdownFilter: { breakdown: property, breakdown_type: 'event', breakdown_limit: 10 },
})
const steps = {
  funnelVizType: 'steps',
  funnelOrderType: 'ordered',
  funnelWindowInterval: 14,
  funnelWindowIntervalUnit: 'day',
}

/** In the order of the dashboard. `companies` is the index of that group type. */
export const insights = (companies: number | null): DemoInsight[] => [
  {
    name: 'New signups',
    description: 'People who signed up, day by day, beside the month before.',
    tags: ['acquisition'],
    favorited: true,
    box: { x: 0, y: 0, w: 6, h: 5 },
    source: {
      kind: 'TrendsQuery',
      ...since('-29d'),
      interval: 'day',
      series: [event('signed up', { custom_name: 'Signups', math: 'dau' })],
      trendsFilter: { display: 'ActionsLineGraph', goalLines: [{ label: 'Goal', value: 30 }] },
      compareFilter: { compare: true },
    },
  },
  {
    name: 'Activation',
    description: 'From signing up to the first finished task, within two weeks.',
    tags: ['activation'],
    favorited: true,
    box: { x: 6, y: 0, w: 6, h: 5 },
    source: {
      kind: 'FunnelsQuery',
      ...since('-60d'),
      series: ['signed up', 'created board', 'completed task'].map((name) => event(name)),
      funnelsFilter: steps,
    },
  },
  {
    name: 'Retention by week',
    description: 'Of those who signed up in a week, how many finish tasks in the weeks after.',
    tags: ['engagement'],
    box: { x: 0, y: 5, w: 6, h: 5 },
    source: {
      kind: 'RetentionQuery',
      ...since('-5w'),
      retentionFilter: {
        retentionType: 'retention_first_time',
        period: 'Week',
        totalIntervals: 6,
        targetEntity: entity('signed up'),
        returningEntity: entity('completed task'),
      },
    },
  },
  {
    name: 'Lifecycle',
    description: 'New, returning, resurrecting and dormant people who finish tasks, week by week.',
    tags: ['engagement'],
    box: { x: 6, y: 5, w: 6, h: 5 },
    source: { kind: 'LifecycleQuery', ...since('-60d'), interval: 'week', series: [event('completed task')] },
  },
  {
    name: 'Import by browser',
    description: 'Who opens the import and gets tasks out of it. Look at Firefox.',
    tags: ['activation', 'to look into'],
    favorited: true,
    box: { x: 0, y: 10, w: 6, h: 5 },
    source: {
      kind: 'FunnelsQuery',
      ...since('-29d'),
      series: [
        event('$pageview', {
          custom_name: 'Opened the import',
          properties: [{ key: '$pathname', type: 'event', operator: 'exact', value: ['/app/import'] }],
        }),
        event('imported tasks'),
      ],
      funnelsFilter: steps,
      ...by('$browser'),
    },
  },
  {
    name: 'Most seen pages',
    description: 'Views of the last month by path.',
    tags: ['acquisition'],
    box: { x: 6, y: 10, w: 6, h: 5 },
    source: {
      kind: 'TrendsQuery',
      ...since('-29d'),
      interval: 'day',
      series: [event('$pageview')],
      trendsFilter: { display: 'ActionsBarValue' },
      ...by('$pathname'),
    },
  },
  {
    name: 'New revenue by plan',
    description: 'What upgrades add to the monthly revenue, in dollars a week.',
    tags: ['revenue'],
    box: { x: 0, y: 15, w: 6, h: 5 },
    source: {
      kind: 'TrendsQuery',
      ...since('-60d'),
      interval: 'week',
      series: [event('upgraded plan', { custom_name: 'New revenue', math: 'sum', math_property: 'amount' })],
      trendsFilter: { display: 'ActionsStackedBar' },
      ...by('plan'),
    },
  },
  {
    name: 'Tasks per active person',
    description: 'Finished tasks, divided by the people who finished any.',
    tags: ['engagement'],
    box: { x: 6, y: 15, w: 6, h: 5 },
    source: {
      kind: 'TrendsQuery',
      ...since('-60d'),
      interval: 'week',
      series: [event('completed task'), event('completed task', { math: 'dau' })],
      trendsFilter: { display: 'ActionsLineGraph', formula: 'A / B' },
    },
  },
  {
    name: 'Where signups come from',
    description: 'The site before ours, of people who signed up.',
    tags: ['acquisition'],
    source: {
      kind: 'TrendsQuery',
      ...since('-60d'),
      interval: 'day',
      series: [event('signed up', { math: 'dau' })],
      trendsFilter: { display: 'ActionsPie' },
      ...by('$referring_domain'),
    },
  },
  {
    name: 'From the pricing page',
    description: 'Where people go after they have seen the prices.',
    tags: ['acquisition'],
    source: {
      kind: 'PathsQuery',
      ...since('-29d'),
      pathsFilter: { includeEventTypes: ['$pageview'], stepLimit: 4, edgeLimit: 50, startPoint: `${SITE}/pricing` },
    },
  },
  {
    name: 'Days at work',
    description: 'On how many days of a month people finish tasks.',
    tags: ['engagement'],
    source: { kind: 'StickinessQuery', ...since('-29d'), interval: 'day', series: [event('completed task')] },
  },
  {
    name: 'How is it going?',
    description: 'The mean score of the survey, week by week.',
    tags: ['feedback'],
    source: {
      kind: 'TrendsQuery',
      ...since('-60d'),
      interval: 'week',
      series: [event('survey sent', { custom_name: 'Score', math: 'avg', math_property: 'score' })],
      trendsFilter: { display: 'ActionsLineGraph' },
    },
  },
  ...(companies === null ? [] : [activeCompanies(companies)]),
]

const activeCompanies = (index: number): DemoInsight => ({
  name: 'Active companies',
  description: 'Companies in which somebody finished a task, week by week.',
  tags: ['companies'],
  source: {
    kind: 'TrendsQuery',
    ...since('-60d'),
    interval: 'week',
    series: [event('completed task', { math: 'unique_group', math_group_type_index: index })],
    trendsFilter: { display: 'ActionsStackedBar' },
  },
})

export const DROP_OFFS: PlaylistFields = {
  name: 'Import drop-offs',
  description: 'Visits in which the import failed. Most of those who see this do not come back.',
  pinned: true,
  filters: {
    date_from: '-29d',
    date_to: null,
    filter_test_accounts: false,
    duration: [],
    filter_group: {
      type: 'AND',
      values: [{ type: 'AND', values: [{ type: 'events', id: 'import failed', name: 'import failed' }] }],
    },
    order: 'start_time',
  },
}

export const GOOD_VISITS = {
  name: 'Visits that went well',
  description: 'They got their tasks in and brought a colleague along. Worth watching before changing the first steps.',
} as const

const GOOD_SIGNS = new Set(['imported tasks', 'invited teammate'])
const MOST_GOOD_VISITS = 6

/** The first of these sessions in which the import succeeded. */
export function goodVisits(events: readonly DemoEvent[], sessionIds: readonly string[]): string[] {
  const good = new Set(
    events.filter(({ event }) => GOOD_SIGNS.has(event)).map(({ properties }) => properties.$session_id),
  )
  return sessionIds.filter((id) => good.has(id)).slice(0, MOST_GOOD_VISITS)
}
