import {
  BREAKDOWN_TYPES,
  type Breakdown,
  type Display,
  type Draft,
  emptyDraft,
  type Filter,
  type Kind,
  MOST_BREAKDOWNS,
  MOST_COHORTS,
  type Series,
} from './draft.ts'
import { filteredIn } from './filter-groups.ts'
import { looksIn } from './looks-on-wire.ts'
import { DISPLAYS } from './node.ts'

/**
 * A query node as the builder's draft. Undefined if the builder cannot show all of it: a part of the query would have
 * other numbers.
 */
export type WireNode = Record<string, unknown>

const KIND_OF: Record<string, Kind> = {
  TrendsQuery: 'trends',
  FunnelsQuery: 'funnel',
  RetentionQuery: 'retention',
  PathsQuery: 'paths',
  LifecycleQuery: 'lifecycle',
  StickinessQuery: 'stickiness',
}

export function fromNode(node: WireNode | undefined): Draft | undefined {
  const kind = KIND_OF[String(node?.kind)]
  const filtered = filteredIn(node?.properties)
  const series = seriesOf(node)
  const breakdown = breakdownOf(node)
  if (!node || !kind || !filtered || !series || !breakdown) return undefined
  const dates = asObject(node.dateRange)
  return {
    ...emptyDraft(kind),
    series,
    ...text('from', dates?.date_from),
    ...text('to', dates?.date_to),
    ...filtered,
    ...text('interval', node.interval),
    ...breakdown,
    ...(node.filterTestAccounts === true ? { testAccounts: true } : {}),
    ...(node.bots === 'exclude' || node.bots === 'only' ? { bots: node.bots } : {}),
    ...comparison(asObject(node.compareFilter) ?? asObject(node.trendsFilter)),
    ...ofTrends(asObject(node.trendsFilter)),
    ...ofFunnel(asObject(node.funnelsFilter)),
    ...ofRetention(asObject(node.retentionFilter)),
    ...ofPaths(asObject(node.pathsFilter)),
  }
}

export const asObject = (value: unknown): WireNode | undefined => {
  const parsed = typeof value === 'string' ? tryParse(value) : value
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as WireNode) : undefined
}

function tryParse(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

const text = <K extends keyof Draft>(key: K, value: unknown): Pick<Draft, K> | object =>
  typeof value === 'string' && value !== '' ? { [key]: value } : {}
const count = <K extends keyof Draft>(key: K, value: unknown): Pick<Draft, K> | object =>
  typeof value === 'number' ? { [key]: value } : {}

const DISPLAY_OF: Readonly<Record<string, Display>> = {
  ...Object.fromEntries(Object.entries(DISPLAYS).map(([display, name]) => [name, display as Display])),
  ActionsBar: 'bar',
  ActionsUnstackedBar: 'bar',
  // Countries one below the other: the same numbers, without the map.
  WorldMap: 'ranking',
}

function ofTrends(filter: WireNode = {}): Partial<Draft> {
  const display = DISPLAY_OF[String(filter.display)]
  const smoothing = filter.smoothingIntervals
  return {
    ...(display && display !== 'line' ? { display } : {}),
    ...text('formula', filter.formula),
    ...(typeof smoothing === 'number' && smoothing > 1 ? { smoothing } : {}),
    ...looksIn(filter),
  }
}

const ofFunnel = (filter: WireNode = {}): Partial<Draft> => ({
  ...text('viz', filter.funnelVizType),
  ...text('order', filter.funnelOrderType),
  ...count('window', filter.funnelWindowInterval),
  ...text('windowUnit', filter.funnelWindowIntervalUnit),
})

function ofRetention(filter: WireNode | undefined): Partial<Draft> {
  if (!filter) return {}
  const returning = asObject(filter.returningEntity)
  return {
    ...text('period', filter.period),
    ...count('intervals', filter.totalIntervals),
    ...(filter.retentionType === 'retention_recurring' ? { firstTime: false } : {}),
    ...(returning ? { returning: typeof returning.id === 'string' ? returning.id : null } : {}),
  }
}

function ofPaths(filter: WireNode = {}): Partial<Draft> {
  const types = filter.includeEventTypes
  return {
    ...(Array.isArray(types) ? { pathTypes: types.map(String) } : {}),
    ...text('startPoint', filter.startPoint),
    ...text('endPoint', filter.endPoint),
    ...count('steps', filter.stepLimit),
  }
}

const comparison = (filter: WireNode | undefined): Partial<Draft> =>
  filter?.compare === true ? { compare: true, ...text('compareTo', filter.compare_to) } : {}

/** Undefined where it is by more than the page can show, or by something it does not know. */
function breakdownOf(node: WireNode | undefined): Partial<Draft> | undefined {
  const by = asObject(node?.breakdownFilter)
  const several = Array.isArray(by?.breakdowns) ? by.breakdowns : []
  if (!by || (several.length === 0 && (by.breakdown ?? null) === null)) return {}
  if (by.breakdown_type === 'cohort') return byCohorts(by.breakdown)
  const parts =
    several.length > 0
      ? several.map((part) => {
          const { property, type, group_type_index, histogram_bin_count } = asObject(part) ?? {}
          return partOf(property, type, group_type_index ?? by.breakdown_group_type_index, histogram_bin_count)
        })
      : [
          partOf(
            by.breakdown,
            by.breakdown_type,
            by.breakdown_group_type_index,
            by.breakdown_histogram_bin_count ?? asObject(node?.trendsFilter)?.breakdown_histogram_bin_count,
          ),
        ]
  const known = parts.filter((part) => part !== undefined)
  if (known.length < parts.length || known.length > MOST_BREAKDOWNS) return undefined
  return {
    breakdown: known,
    ...count('breakdownLimit', by.breakdown_limit),
    ...(by.breakdown_hide_other_aggregation === true ? { hideOther: true } : {}),
  }
}

function byCohorts(given: unknown): Partial<Draft> | undefined {
  const ids = [given].flat().filter((id) => typeof id === 'number' || typeof id === 'string')
  if (ids.length === 0 || ids.length > MOST_COHORTS) return undefined
  // Everyone is 0 to some clients.
  return { breakdown: ids.map((id) => ({ property: String(id) === '0' ? 'all' : String(id), type: 'cohort' })) }
}

function partOf(property: unknown, given: unknown, index: unknown, bins: unknown): Breakdown | undefined {
  const type = BREAKDOWN_TYPES.find((known) => known === (given ?? 'event'))
  if (typeof property !== 'string' || type === undefined || type === 'cohort') return undefined
  return {
    property,
    type,
    ...(type === 'group' && typeof index === 'number' ? { group_type_index: index } : {}),
    ...(typeof bins === 'number' ? { bins } : {}),
  }
}

/** A list, or groups joined by AND; undefined if some are joined by OR. */
function filtersOf(properties: unknown): Filter[] | undefined {
  if (properties === undefined || properties === null) return []
  if (Array.isArray(properties)) {
    const lists = properties.map((one) => (asObject(one)?.values ? filtersOf(one) : [one as Filter]))
    return lists.some((list) => list === undefined) ? undefined : (lists.flat() as Filter[])
  }
  const { type, values } = asObject(properties) ?? {}
  if (!Array.isArray(values)) return []
  return type === 'OR' && values.length > 1 ? undefined : filtersOf(values)
}

/** Undefined if one is neither an event nor an action with a name (a group of events, a table). */
function seriesOf(node: WireNode | undefined): Series[] | undefined {
  const target = asObject(asObject(node?.retentionFilter)?.targetEntity)
  if (!Array.isArray(node?.series)) {
    const action = target?.type === 'actions' || target?.kind === 'ActionsNode' ? actionOf(target) : undefined
    return target ? [{ event: typeof target.id === 'string' && !action ? target.id : null, ...action }] : []
  }
  const series = node.series.map((one) => oneSeries(asObject(one) ?? {}))
  return series.some((one) => one === undefined) ? undefined : (series as Series[])
}

function oneSeries(node: WireNode): Series | undefined {
  const filters = filtersOf(node.properties)
  const action = node.kind === 'ActionsNode' ? actionOf(node) : undefined
  const isKnown = node.kind === undefined || node.kind === 'EventsNode' || action !== undefined
  if (!filters || !isKnown || node.math_hogql) return undefined
  return {
    event: typeof node.event === 'string' ? node.event : null,
    ...action,
    ...(typeof node.math === 'string' ? { math: node.math } : {}),
    ...(typeof node.math_property === 'string' ? { property: node.math_property } : {}),
    ...(typeof node.math_group_type_index === 'number' ? { groupIndex: node.math_group_type_index } : {}),
    ...(typeof node.custom_name === 'string' ? { name: node.custom_name } : {}),
    ...(filters.length > 0 ? { filters } : {}),
  }
}

function actionOf(node: WireNode): Pick<Series, 'action' | 'name'> | undefined {
  const name = node.custom_name ?? node.name
  return typeof name === 'string' && name !== '' ? { action: Number(node.id), name } : undefined
}
