/** The questions of the page, made of its address. */
import type { WebAnswers } from '../../api/contract.ts'
import type { Json } from '../../lib/json.ts'
import { LAST_30_DAYS } from '../../lib/ranges.ts'
import { DIMENSIONS, type Dimension, type DimensionId, propertiesOf } from './dimensions.ts'
import { orderBy } from './order.ts'
import type { Goal, VITALS, WebState } from './search.ts'

export type WebKind = keyof WebAnswers
export type WebNode<K extends WebKind = WebKind> = { kind: K; [key: string]: Json }

type Fields = { [key: string]: Json }

export const goalNode = (goal: Goal): Fields =>
  'action' in goal ? { actionId: goal.action } : { customEventName: goal.event }

/** What is the same in all of them. */
export function common(state: WebState): Fields {
  const { from = LAST_30_DAYS, to, filters = [], bots, goal } = state
  return {
    dateRange: { date_from: from, ...(to ? { date_to: to } : {}) },
    properties: filters.flatMap(propertiesOf),
    ...(bots ? { bots } : {}),
    ...(goal ? { conversionGoal: goalNode(goal) } : {}),
  }
}

export const compared = ({ compare, from }: WebState): Fields =>
  // Before the first event there is nothing to compare with.
  compare === false || from === 'all' ? {} : { compareFilter: { compare: true } }

export const overviewNode = (state: WebState): WebNode<'WebOverviewQuery'> => ({
  kind: 'WebOverviewQuery',
  ...common(state),
  ...compared(state),
})

export const liveNode = (state: WebState): WebNode<'WebOverviewQuery'> => ({
  kind: 'WebOverviewQuery',
  ...common({ ...state, goal: undefined }),
  dateRange: { date_from: '-5M' },
  includeLive: true,
})

export const trendsNode = (state: WebState, interval: string): WebNode<'WebTrendsQuery'> => ({
  kind: 'WebTrendsQuery',
  ...common({ ...state, goal: undefined }),
  ...compared(state),
  interval,
  metrics: ['UniqueUsers', 'PageViews', 'Sessions', 'Bounces', 'SessionDuration'],
})

/** The columns that each kind of table answers with. */
const WITH_GOAL = ['visitors', 'total_conversions', 'unique_conversions', 'conversion_rate']
const OF_VISITS = ['visitors', 'views', 'bounce_rate']
const OF_PAGES = [...OF_VISITS, 'average_scroll_percentage', 'avg_time_on_page']
const OF_LINKS = ['visitors', 'clicks']
const OF_GOALS = ['converting_users', 'total_conversions', 'conversion_rate']

export function tableNode(state: WebState, on: DimensionId, limit: number): WebNode<'WebStatsTableQuery'> {
  const { breakdownBy, pages }: Dimension = DIMENSIONS[on]
  return {
    kind: 'WebStatsTableQuery',
    ...common(state),
    ...compared(state),
    breakdownBy,
    includeBounceRate: true,
    ...(pages ? { includeScrollDepth: true, includeAvgTimeOnPage: true } : {}),
    ...orderBy(state, on, state.goal ? WITH_GOAL : pages ? OF_PAGES : OF_VISITS),
    limit,
  }
}

export const outgoingNode = (state: WebState, limit: number): WebNode<'WebExternalClicksTableQuery'> => ({
  kind: 'WebExternalClicksTableQuery',
  ...common(state),
  ...compared(state),
  ...orderBy(state, 'outgoing', state.goal ? WITH_GOAL : OF_LINKS),
  limit,
})

export const goalsNode = (state: WebState): WebNode<'WebGoalsQuery'> => ({
  kind: 'WebGoalsQuery',
  ...common({ ...state, goal: undefined }),
  ...compared(state),
  includeEvents: true,
  ...orderBy(state, 'goals', OF_GOALS),
  limit: 20,
})

export const hoursNode = (state: WebState): WebNode<'WebStatsTableQuery'> => ({
  kind: 'WebStatsTableQuery',
  ...common({ ...state, goal: undefined }),
  breakdownBy: 'WeekdayHour',
  limit: 168,
})

/** Up to where a page is good, and from where it is poor: seconds are in ms. */
export const THRESHOLDS: Readonly<Record<(typeof VITALS)[number], readonly [number, number]>> = {
  LCP: [2_500, 4_000],
  INP: [200, 500],
  CLS: [0.1, 0.25],
  FCP: [1_800, 3_000],
}

export const vitalsNode = (
  state: WebState,
  metric: (typeof VITALS)[number],
): WebNode<'WebVitalsPathBreakdownQuery'> => ({
  kind: 'WebVitalsPathBreakdownQuery',
  ...common({ ...state, goal: undefined }),
  metric,
  percentile: 'p75',
  thresholds: [...THRESHOLDS[metric]],
})

/** As many as a card shows. */
export const ROWS = 8
/** As many as a file of a table has. */
export const MOST_ROWS = 1_000

/** The table of a dimension: links to other sites have a question of their own. */
export const nodeOf = (state: WebState, on: DimensionId, limit: number) =>
  on === 'outgoing' ? outgoingNode(state, limit) : tableNode(state, on, limit)
