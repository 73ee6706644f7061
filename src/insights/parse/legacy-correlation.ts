/** Legacy filters that ask about a funnel's correlations, or who stands behind one, as query nodes. */

import { asBoolean, asFields, asList, decoded, type Fields, withoutEmpty } from '../../contract/queries/index.ts'
import { asText } from '../../lib/json.ts'
import { actorsNodeOfLegacyFilter } from './legacy-actors.ts'
import { legacyEntity, legacyFilterFields } from './legacy-filter.ts'

const texts = (value: unknown): unknown[] | undefined => {
  const list = asList(value)
  return list.length > 0 ? list.map(asText) : undefined
}

export function correlationOfLegacyFilter(input: unknown): Fields {
  const filter = legacyFilterFields(input)
  return withoutEmpty({
    kind: 'FunnelCorrelationQuery',
    source: actorsNodeOfLegacyFilter({ ...filter, filters: undefined, insight: 'FUNNELS' }),
    funnelCorrelationType: filter.funnel_correlation_type || 'events',
    funnelCorrelationExcludeEventNames: texts(filter.funnel_correlation_exclude_event_names),
    funnelCorrelationEventNames: texts(filter.funnel_correlation_event_names),
    funnelCorrelationEventExcludePropertyNames: texts(filter.funnel_correlation_event_exclude_property_names),
    funnelCorrelationNames: texts(filter.funnel_correlation_names),
    funnelCorrelationExcludeNames: texts(filter.funnel_correlation_exclude_names),
  })
}

export function correlationActorsOfLegacyFilter(input: unknown): Fields {
  const filter = legacyFilterFields(input)
  const entity = asFields(filter.funnel_correlation_person_entity)
  return withoutEmpty({
    kind: 'FunnelCorrelationActorsQuery',
    source: correlationOfLegacyFilter(filter),
    funnelCorrelationPersonConverted: asBoolean(filter.funnel_correlation_person_converted),
    funnelCorrelationPersonEntity: entity && legacyEntity(entity, 'events')?.node,
    funnelCorrelationPropertyValues: decoded(filter.funnel_correlation_property_values),
  })
}
