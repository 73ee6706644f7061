/** The legacy filter of a persons list: the insight's own keys, and which of its numbers is meant. */

import { asBoolean, asList, asNumber, decoded, type Fields, withoutEmpty } from '../../contract/queries/index.ts'
import { legacyFilterFields, legacySeries, nodeOfLegacyFilter } from './legacy-filter.ts'

/** An actors node: of a funnel step, or of a point of any other insight. */
export function actorsNodeOfLegacyFilter(input: unknown, fallback = 'TRENDS'): Fields {
  const filter = legacyFilterFields(input)
  const source = nodeOfLegacyFilter(filter, fallback)
  const includeRecordings = asBoolean(filter.include_recordings)
  if (source.kind === 'FunnelsQuery') {
    return withoutEmpty({
      kind: 'FunnelsActorsQuery',
      source,
      funnelStep: asNumber(filter.funnel_step),
      funnelCustomSteps:
        filter.funnel_custom_steps === undefined ? undefined : asList(filter.funnel_custom_steps).map(asNumber),
      funnelStepBreakdown: breakdownValueOf(filter.funnel_step_breakdown),
      funnelTrendsDropOff: asBoolean(filter.drop_off),
      funnelTrendsEntrancePeriodStart: filter.entrance_period_start,
      compare: filter.compare_label,
      includeRecordings,
    })
  }
  return withoutEmpty({
    kind: 'InsightActorsQuery',
    source,
    day: filter.day ?? filter.target_date ?? asNumber(filter.stickiness_days),
    series: seriesOf(filter),
    breakdown: breakdownValueOf(filter.breakdown_value),
    compare: filter.compare_label ?? undefined,
    status: filter.lifecycle_type,
    interval: asNumber(filter.selected_interval),
    includeRecordings,
  })
}

/** A breakdown value: a text as it is, whatever it looks like, or a list of them. */
function breakdownValueOf(value: unknown): unknown {
  const list = decoded(value)
  return Array.isArray(list) ? list : value
}

/** By position when it is given, else the first series about the entity. */
function seriesOf(filter: Fields): unknown {
  const order = asNumber(filter.entity_order)
  if (order !== undefined && order !== null) return order
  const wanted = typeof filter.entity_id === 'number' ? String(filter.entity_id) : filter.entity_id
  if (typeof wanted !== 'string') return undefined
  const at = legacySeries(filter).findIndex(
    ({ event, id }) => (event ?? (typeof id === 'number' ? String(id) : id)) === wanted,
  )
  return at === -1 ? undefined : at
}
