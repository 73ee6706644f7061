/** Legacy filters that ask about a funnel's correlations, or who stands behind a number, as query nodes. */
import { legacyEntity, legacyFilterFields, nodeOfLegacyFilter } from './legacy-filter.ts'
import { asBoolean, asFields, asList, asNumber, decoded, type Fields, withoutEmpty } from './wire-values.ts'

const texts = (value: unknown): unknown[] | undefined => {
  const list = asList(value)
  return list.length > 0 ? list.map(String) : undefined
}

export function legacyFunnelActors(input: unknown): Fields {
  const filter = legacyFilterFields(input)
  return withoutEmpty({
    kind: 'FunnelsActorsQuery',
    source: nodeOfLegacyFilter({ ...filter, filters: undefined, insight: 'FUNNELS' }),
    funnelStep: asNumber(filter.funnel_step),
    funnelCustomSteps: decoded(filter.funnel_custom_steps),
    funnelStepBreakdown: decoded(filter.funnel_step_breakdown),
    funnelTrendsDropOff: asBoolean(filter.drop_off),
    funnelTrendsEntrancePeriodStart: filter.entrance_period_start,
  })
}

export function legacyCorrelation(input: unknown): Fields {
  const filter = legacyFilterFields(input)
  return withoutEmpty({
    kind: 'FunnelCorrelationQuery',
    source: legacyFunnelActors(filter),
    funnelCorrelationType: filter.funnel_correlation_type || 'events',
    funnelCorrelationExcludeEventNames: texts(filter.funnel_correlation_exclude_event_names),
    funnelCorrelationEventNames: texts(filter.funnel_correlation_event_names),
    funnelCorrelationEventExcludePropertyNames: texts(filter.funnel_correlation_event_exclude_property_names),
    funnelCorrelationNames: texts(filter.funnel_correlation_names),
    funnelCorrelationExcludeNames: texts(filter.funnel_correlation_exclude_names),
  })
}

export function legacyCorrelationActors(input: unknown): Fields {
  const filter = legacyFilterFields(input)
  const entity = asFields(filter.funnel_correlation_person_entity)
  return withoutEmpty({
    kind: 'FunnelCorrelationActorsQuery',
    source: legacyCorrelation(filter),
    funnelCorrelationPersonConverted: asBoolean(filter.funnel_correlation_person_converted),
    funnelCorrelationPersonEntity: entity && legacyEntity(entity, 'events')?.node,
    funnelCorrelationPropertyValues: decoded(filter.funnel_correlation_property_values),
  })
}

/** Which point of a trend, lifecycle, stickiness or retention: the keys of the list of people that opens from a graph. */
export function legacyPointActors(input: unknown, insight: string): Fields {
  const filter = legacyFilterFields(input)
  const source = nodeOfLegacyFilter({ ...filter, filters: undefined }, insight)
  return withoutEmpty({
    kind: 'InsightActorsQuery',
    source,
    series: seriesOf(filter, source),
    day: filter.day ?? filter.target_date ?? filter.stickiness_days,
    breakdown: decoded(filter.breakdown_value),
    status: filter.lifecycle_type,
    interval: asNumber(filter.selected_interval),
    compare: filter.compare_label,
  })
}

/** The series is named by its position, or by the event it is about. */
function seriesOf(filter: Fields, source: Fields): number | undefined {
  if (filter.entity_order !== undefined) return Number(filter.entity_order)
  if (filter.entity_id === undefined || !Array.isArray(source.series)) return undefined
  const wanted = String(filter.entity_id)
  const found = source.series.findIndex(({ event, id }: Fields) => String(event ?? id) === wanted)
  return found < 0 ? undefined : found
}
