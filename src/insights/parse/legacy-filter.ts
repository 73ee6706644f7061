/**
 * The legacy filter (keys at the top level, under `filters`, or as a query string full of JSON text) becomes a query
 * node, once. Nothing behind this file knows the legacy keys.
 */

import {
  asBoolean,
  asFields,
  asList,
  asNumber,
  decoded,
  type Fields,
  unlessEmpty,
  withoutEmpty,
} from '../../contract/queries/index.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import { exactDigits, numberFrom } from '../../lib/json.ts'
import { legacyFunnelFields } from './legacy-funnel.ts'
import { legacyPathFields, legacyRetentionFields } from './legacy-others.ts'
import { type Place, placeInLegacy } from './legacy-places.ts'

const KIND_OF_INSIGHT: Record<string, string> = {
  TRENDS: 'TrendsQuery',
  SESSIONS: 'TrendsQuery',
  FUNNELS: 'FunnelsQuery',
  RETENTION: 'RetentionQuery',
  PATHS: 'PathsQuery',
  LIFECYCLE: 'LifecycleQuery',
  STICKINESS: 'StickinessQuery',
}

/** `filters` inside the object adds to (and wins over) what stands beside it. */
export function legacyFilterFields(input: unknown): Fields {
  const outer = asFields(input) ?? {}
  const inner = asFields(outer.filters)
  if (inner === undefined && !isEmpty(outer.filters))
    throw new InvalidQuery('Filters are an object, or its JSON text.', ['filters'])
  return inner === undefined ? outer : { ...outer, ...inner }
}

export function nodeOfLegacyFilter(input: unknown, fallback = 'TRENDS'): Fields {
  const filter = legacyFilterFields(input)
  const insight = typeof filter.insight === 'string' ? filter.insight.toUpperCase() : fallback
  const kind = filter.shown_as === 'Stickiness' ? 'StickinessQuery' : (KIND_OF_INSIGHT[insight] ?? 'TrendsQuery')
  const common = withoutEmpty({
    kind,
    dateRange: unlessEmpty({
      date_from: filter.date_from,
      date_to: filter.date_to,
      explicitDate: asBoolean(filter.explicit_date),
    }),
    properties: decoded(filter.properties),
    filterTestAccounts: asBoolean(filter.filter_test_accounts),
    samplingFactor: asNumber(filter.sampling_factor),
  })
  const aggregation = withoutEmpty({ aggregation_group_type_index: asNumber(filter.aggregation_group_type_index) })
  const interval = withoutEmpty({ interval: filter.interval === '' ? undefined : filter.interval })
  switch (kind) {
    case 'FunnelsQuery':
      return {
        ...common,
        ...aggregation,
        ...interval,
        series: legacySeries(filter),
        ...withoutEmpty({ breakdownFilter: breakdownOf(filter), compareFilter: compareOf(filter) }),
        ...legacyFunnelFields(filter),
      }
    case 'RetentionQuery':
      return { ...common, ...aggregation, ...legacyRetentionFields(filter) }
    case 'PathsQuery':
      return { ...common, ...aggregation, ...legacyPathFields(filter, nodeOfLegacyFilter) }
    case 'LifecycleQuery':
      return {
        ...common,
        ...interval,
        series: legacySeries(filter),
        ...withoutEmpty({
          lifecycleFilter: unlessEmpty({ toggledLifecycles: decoded(filter.toggledLifecycles) }),
        }),
      }
    case 'StickinessQuery':
      return {
        ...common,
        ...interval,
        series: legacySeries(filter),
        ...withoutEmpty({ compareFilter: compareOf(filter) }),
      }
    default:
      return {
        ...common,
        ...aggregation,
        ...interval,
        series: legacySeries(filter),
        ...withoutEmpty({
          breakdownFilter: breakdownOf(filter),
          compareFilter: compareOf(filter),
          trendsFilter: unlessEmpty({
            display: filter.display,
            formula: filter.formula === '' ? undefined : filter.formula,
            smoothingIntervals: asNumber(filter.smoothing_intervals),
          }),
        }),
      }
  }
}

/** Actions stand before events, then a stable sort by `order`, where a missing order sorts first. */
export const legacySeries = (filter: Fields): Fields[] => placedSeries(filter).map(({ node }) => node)

function placedSeries(filter: Fields): { readonly node: Fields; readonly path: Path }[] {
  const entities = (['actions', 'events'] as const).flatMap((list) =>
    entitiesIn(filter, list).flatMap((given, at) => {
      const entity = legacyEntity(given, list)
      return entity === undefined ? [] : [{ ...entity, path: [list, at] }]
    }),
  )
  return entities.toSorted((a, b) => a.order - b.order)
}

/** Where a part of the node that this filter became stood in it. */
export function placesOfLegacyFilter(input: unknown, ofActors = false): Place {
  const outer = asFields(input) ?? {}
  const series = placedSeries(legacyFilterFields(input)).map(({ path }) => path)
  return placeInLegacy(outer, series, ofActors)
}

function entitiesIn(filter: Fields, key: 'actions' | 'events'): unknown[] {
  const list = decoded(filter[key])
  if (!isEmpty(list) && typeof list !== 'object')
    throw new InvalidQuery('Send a list such as [{"id": "$pageview"}].', [key])
  return asList(list)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

export function legacyEntity(
  value: unknown,
  ofList: 'actions' | 'events',
): { order: number; node: Fields } | undefined {
  const entity = asFields(value)
  if (entity === undefined) return undefined
  const order = numberFrom(entity.order ?? 0) || 0
  const shared = withoutEmpty({
    name: entity.name,
    custom_name: entity.custom_name,
    properties: decoded(entity.properties),
    math: entity.math === '' ? undefined : entity.math,
    math_property: entity.math_property,
    math_property_type: entity.math_property_type,
    math_hogql: entity.math_hogql,
    math_group_type_index: asNumber(entity.math_group_type_index),
  })
  const type = entity.type ?? ofList
  if (type === 'actions') {
    if (entity.id === undefined || entity.id === null) return undefined
    return { order, node: { kind: 'ActionsNode', id: asNumber(entity.id), ...shared } }
  }
  const event = typeof entity.id === 'number' ? String(entity.id) : eventName(entity.id)
  return { order, node: { kind: 'EventsNode', ...(event === undefined ? {} : { event }), ...shared } }
}

function breakdownOf(filter: Fields): Fields | undefined {
  const many = asList(filter.breakdowns)
    .map(asFields)
    .filter((item) => item?.property !== undefined && item.property !== null)
    .slice(0, 3)
    .map((item) =>
      withoutEmpty({
        property: item?.property,
        type: breakdownType(item?.type),
        normalize_url: asBoolean(item?.normalize_url),
        group_type_index: asNumber(item?.group_type_index),
        histogram_bin_count: asNumber(item?.histogram_bin_count),
      }),
    )
  const single = singleBreakdown(filter)
  if (many.length === 0 && single === undefined) {
    return unlessEmpty({ breakdown_limit: asNumber(filter.breakdown_limit) })
  }
  return withoutEmpty({
    ...(many.length > 0 ? { breakdowns: many } : single),
    breakdown_group_type_index: asNumber(filter.breakdown_group_type_index),
    breakdown_limit: asNumber(filter.breakdown_limit),
    breakdown_offset: asNumber(filter.offset),
    breakdown_normalize_url: asBoolean(filter.breakdown_normalize_url),
    breakdown_hide_other_aggregation: asBoolean(filter.breakdown_hide_other_aggregation),
    breakdown_histogram_bin_count: asNumber(filter.breakdown_histogram_bin_count),
  })
}

function singleBreakdown(filter: Fields): Fields | undefined {
  const value = decoded(filter.breakdown)
  if (value === undefined || value === null || value === '') return undefined
  if (filter.breakdown_type === 'undefined' && typeof value !== 'string') return undefined
  const breakdown = Array.isArray(value) ? value.filter((each) => each !== null) : value
  return { breakdown, breakdown_type: breakdownType(filter.breakdown_type) }
}

const breakdownType = (type: unknown): unknown =>
  type === undefined || type === null || type === 'events' || type === 'undefined' || type === '' ? 'event' : type

const compareOf = (filter: Fields): Fields | undefined =>
  unlessEmpty({
    compare: asBoolean(filter.compare),
    compare_to: filter.compare_to === '' ? undefined : filter.compare_to,
  })

/** What is no text is left for the schema to refuse. */
const eventName = (id: unknown): unknown => (typeof id === 'string' ? (exactDigits(id) ?? id) : (id ?? undefined))
