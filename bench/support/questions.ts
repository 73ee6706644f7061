/** The questions whose speed is promised, and the promises in ms for ten million events. */
const node = (event: string, math?: string) => ({ kind: 'EventsNode', event, ...(math && { math }) })
const dateRange = { date_from: '-90d' }
const FUNNEL = {
  kind: 'FunnelsQuery',
  series: ['event_1', 'event_2', 'event_3'].map((event) => node(event)),
  dateRange,
}

export const QUESTIONS: Record<string, object> = {
  'trend by day': { kind: 'TrendsQuery', series: [node('event_1')], dateRange },
  'unique users by day': { kind: 'TrendsQuery', series: [node('event_1', 'dau')], dateRange },
  'breakdown, top 25': {
    kind: 'TrendsQuery',
    series: [node('event_1')],
    dateRange,
    breakdownFilter: { breakdown: 'country' },
  },
  'funnel of 3 steps': FUNNEL,
  'funnel, strict': { ...FUNNEL, funnelsFilter: { funnelOrderType: 'strict' } },
  'funnel, unordered': { ...FUNNEL, funnelsFilter: { funnelOrderType: 'unordered' } },
  'funnel, exclusion': {
    ...FUNNEL,
    funnelsFilter: { exclusions: [{ ...node('event_4'), funnelFromStep: 0, funnelToStep: 1 }] },
  },
  'funnel, breakdown': { ...FUNNEL, breakdownFilter: { breakdown: 'country' } },
  'retention, 8 weeks': {
    kind: 'RetentionQuery',
    retentionFilter: {
      period: 'Week',
      totalIntervals: 8,
      targetEntity: { id: 'event_1', type: 'events' },
      returningEntity: { id: 'event_2', type: 'events' },
    },
  },
  correlation: {
    kind: 'FunnelCorrelationQuery',
    funnelCorrelationType: 'events',
    source: { kind: 'FunnelsActorsQuery', source: FUNNEL },
  },
  lifecycle: { kind: 'LifecycleQuery', series: [node('event_1')], dateRange: { date_from: '-30d' } },
  stickiness: { kind: 'StickinessQuery', series: [node('event_1')], dateRange: { date_from: '-30d' } },
  paths: { kind: 'PathsQuery', dateRange: { date_from: '-7d' } },
}

export const GOALS: Record<string, number> = {
  'trend by day': 100,
  'unique users by day': 250,
  'breakdown, top 25': 250,
  'funnel of 3 steps': 200,
  'retention, 8 weeks': 300,
  correlation: 1500,
}

/** For a hundred million. */
export const GOALS_OF_MANY: Record<string, number> = { 'trend by day': 250, 'funnel of 3 steps': 1500 }
