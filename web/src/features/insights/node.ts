import type { Json } from '../../lib/json.ts'
import type { DrawnNode, Node } from './answer.ts'
import { type Breakdown, type Draft, defaultFrom, type Filter, type Series } from './draft.ts'
import type { Match } from './filter-groups.ts'

type Fields = { [key: string]: Json }

export const DISPLAYS = {
  line: 'ActionsLineGraph',
  area: 'ActionsAreaGraph',
  bar: 'ActionsStackedBar',
  cumulative: 'ActionsLineGraphCumulative',
  number: 'BoldNumber',
  pie: 'ActionsPie',
  ranking: 'ActionsBarValue',
  table: 'ActionsTable',
} as const

const sharedOf = (draft: Draft) => ({
  dateRange: { date_from: draft.from ?? defaultFrom(draft.kind), ...(draft.to ? { date_to: draft.to } : {}) },
  ...propertiesOf(draft),
  ...(draft.testAccounts ? { filterTestAccounts: true } : {}),
  ...(draft.bots ? { bots: draft.bots } : {}),
})

/** A draft of trends, whatever its kind says. */
export const trendsNode = (draft: Draft): Node<'TrendsQuery'> => ({
  kind: 'TrendsQuery',
  ...sharedOf(draft),
  series: draft.series.map(seriesNode),
  interval: draft.interval ?? 'day',
  trendsFilter: {
    display: DISPLAYS[draft.display ?? 'line'],
    ...(draft.formula ? { formula: draft.formula } : {}),
    ...(draft.smoothing && draft.smoothing > 1 ? { smoothingIntervals: draft.smoothing } : {}),
  },
  ...breakdown(draft),
  ...compared(draft),
})

export const sqlNode = (draft: Draft): Node<'HogQLQuery'> => ({
  kind: 'HogQLQuery',
  query: draft.sql ?? '',
  ...(draft.from ? { filters: { dateRange: sharedOf(draft).dateRange } } : {}),
})

/** The draft as the query node that the API takes. */
export function toNode(draft: Draft): DrawnNode {
  const shared = sharedOf(draft)
  switch (draft.kind) {
    case 'trends':
      return trendsNode(draft)
    case 'funnel':
      return {
        kind: 'FunnelsQuery',
        ...shared,
        series: draft.series.map(seriesNode),
        ...(draft.viz === 'trends' ? { interval: draft.interval ?? 'day' } : {}),
        funnelsFilter: {
          funnelVizType: draft.viz ?? 'steps',
          funnelOrderType: draft.order ?? 'ordered',
          funnelWindowInterval: draft.window ?? 14,
          funnelWindowIntervalUnit: draft.windowUnit ?? 'day',
        },
        ...breakdown(draft),
        ...compared(draft),
      }
    case 'retention':
      return {
        kind: 'RetentionQuery',
        ...shared,
        dateRange: { date_from: retentionFrom(draft), ...(draft.to ? { date_to: draft.to } : {}) },
        retentionFilter: {
          retentionType: draft.firstTime === false ? 'retention_recurring' : 'retention_first_time',
          period: draft.period ?? 'Day',
          totalIntervals: draft.intervals ?? 8,
          targetEntity: entityOf(draft.series[0]),
          returningEntity: draft.returning === undefined ? entityOf(draft.series[0]) : entity(draft.returning),
        },
        ...breakdown(draft),
      }
    case 'paths':
      return {
        kind: 'PathsQuery',
        ...shared,
        pathsFilter: {
          includeEventTypes: draft.pathTypes ?? ['$pageview'],
          stepLimit: draft.steps ?? 5,
          edgeLimit: 50,
          ...(draft.startPoint ? { startPoint: draft.startPoint } : {}),
          ...(draft.endPoint ? { endPoint: draft.endPoint } : {}),
        },
      }
    case 'lifecycle':
      return {
        kind: 'LifecycleQuery',
        ...shared,
        series: draft.series.slice(0, 1).map(seriesNode),
        interval: draft.interval ?? 'day',
      }
    case 'stickiness':
      return {
        kind: 'StickinessQuery',
        ...shared,
        series: draft.series.map(seriesNode),
        interval: draft.interval ?? 'day',
        ...compared(draft),
      }
    case 'sql':
      return sqlNode(draft)
  }
}

/** Whether there is enough to ask. */
export function isAskable(draft: Draft): boolean {
  if (draft.kind === 'funnel') return draft.series.length >= 2
  if (draft.kind === 'paths') return (draft.pathTypes ?? ['$pageview']).length > 0
  if (draft.kind === 'sql') return (draft.sql ?? '').trim() !== ''
  return draft.series.length > 0
}

const seriesNode = ({ event, action, math, property, groupIndex, filters, name }: Series): Fields => ({
  ...(action === undefined ? { kind: 'EventsNode', event } : { kind: 'ActionsNode', id: action }),
  ...(name ? { custom_name: name } : {}),
  ...(math && math !== 'total' ? { math } : {}),
  ...(property ? { math_property: property } : {}),
  ...(groupIndex === undefined ? {} : { math_group_type_index: groupIndex }),
  ...(filters?.length ? { properties: complete(filters) } : {}),
})

/**
 * A list where all must hold, else groups; one without a finished filter is left out. Both are there when a dashboard
 * adds its filters to an insight with groups: then both must hold.
 */
function propertiesOf({ filters = [], filterGroups }: Draft): Fields {
  if (!filterGroups) return filters.length > 0 ? { properties: complete(filters) } : {}
  const values = filterGroups.groups
    .map(({ match, filters: own }) => ({ type: typeOf(match), values: complete(own) }))
    .filter((group) => group.values.length > 0)
  const own = values.length > 0 ? [{ type: typeOf(filterGroups.match), values }] : []
  const added = complete(filters)
  const all = added.length > 0 ? [...own, { type: 'AND', values: added }] : own
  const [only] = all
  if (!only) return {}
  return { properties: all.length === 1 ? only : { type: 'AND', values: all } }
}

const typeOf = (match: Match): string => (match === 'any' ? 'OR' : 'AND')

/** Filters without a value are left out. */
const complete = (filters: readonly Filter[]): Json[] =>
  filters.filter(isComplete).map(({ key, type, operator, value, group_type_index }) => ({
    key,
    type,
    operator,
    value: value ?? null,
    ...(group_type_index === undefined ? {} : { group_type_index }),
  }))

export const isComplete = ({ key, type, operator, value }: Filter): boolean =>
  key !== '' &&
  // An expression is whole by itself.
  (type === 'hogql' ||
    operator === 'is_set' ||
    operator === 'is_not_set' ||
    (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== ''))

const entityOf = (series: Series | undefined): Fields =>
  series?.action === undefined
    ? entity(series?.event ?? null)
    : { id: series.action, name: series.name ?? null, type: 'actions', kind: 'ActionsNode' }

const entity = (event: string | null): Fields => ({ id: event, name: event, type: 'events', kind: 'EventsNode' })

const compared = ({ compare, compareTo }: Draft): Fields =>
  compare ? { compareFilter: { compare: true, ...(compareTo ? { compare_to: compareTo } : {}) } } : {}

export const DEFAULT_LIMIT = 10

/** One property is asked in the form that every client knows, several in the newer one. */
function breakdown({ breakdown: by = [], breakdownLimit, hideOther }: Draft): Fields {
  const [first, ...rest] = by
  if (!first) return {}
  if (first.type === 'cohort')
    return { breakdownFilter: { breakdown: by.map(({ property }) => cohortOf(property)), breakdown_type: 'cohort' } }
  return {
    breakdownFilter: {
      ...(rest.length === 0 ? oneBreakdown(first) : { breakdowns: by.map(partOfBreakdown) }),
      breakdown_limit: breakdownLimit ?? DEFAULT_LIMIT,
      ...(hideOther ? { breakdown_hide_other_aggregation: true } : {}),
    },
  }
}

const cohortOf = (id: string): string | number => (/^\d+$/.test(id) ? Number(id) : id)

const oneBreakdown = ({ property, type, group_type_index, bins }: Breakdown): Fields => ({
  breakdown: property,
  breakdown_type: type,
  ...(group_type_index === undefined ? {} : { breakdown_group_type_index: group_type_index }),
  ...(bins === undefined ? {} : { breakdown_histogram_bin_count: bins }),
})

const partOfBreakdown = ({ property, type, group_type_index, bins }: Breakdown): Fields => ({
  property,
  type,
  ...(group_type_index === undefined ? {} : { group_type_index }),
  ...(bins === undefined ? {} : { histogram_bin_count: bins }),
})

/** As many intervals back as the grid has rows. */
function retentionFrom({ from, period = 'Day', intervals = 8 }: Draft): string {
  if (from) return from
  return `-${intervals - 1}${{ Hour: 'h', Day: 'd', Week: 'w', Month: 'm' }[period]}`
}
