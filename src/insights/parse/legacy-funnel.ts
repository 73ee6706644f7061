/** The funnel and correlation keys of the legacy filter, as fields of the nodes. */
import {
  asFields,
  asList,
  asNumber,
  decoded,
  type Fields,
  unlessEmpty,
  withoutEmpty,
} from '../../contract/queries/index.ts'

export function legacyFunnelFields(filter: Fields): Fields {
  const days = asNumber(filter.funnel_window_days)
  const viz = filter.funnel_viz_type ?? (filter.display === 'ActionsLineGraph' ? 'trends' : undefined)
  const funnelsFilter = unlessEmpty({
    funnelVizType: viz,
    funnelOrderType: filter.funnel_order_type,
    funnelWindowInterval: days ?? asNumber(filter.funnel_window_interval),
    funnelWindowIntervalUnit: days === undefined || days === null ? filter.funnel_window_interval_unit : 'day',
    funnelFromStep: asNumber(filter.funnel_from_step),
    funnelToStep: asNumber(filter.funnel_to_step),
    funnelStepReference: filter.funnel_step_reference,
    binCount: filter.bin_count === 'auto' ? 'auto' : asNumber(filter.bin_count),
    breakdownAttributionType: filter.breakdown_attribution_type,
    breakdownAttributionValue: asNumber(filter.breakdown_attribution_value),
    funnelAggregateByHogQL: filter.funnel_aggregate_by_hogql,
    holdConstant: decoded(filter.funnel_hold_constant),
    exclusions: asList(filter.exclusions).flatMap(exclusionOf),
  })
  return funnelsFilter === undefined ? {} : { funnelsFilter }
}

function exclusionOf(value: unknown): Fields[] {
  const item = asFields(value)
  if (item === undefined) return []
  const shared = withoutEmpty({
    name: item.name,
    custom_name: item.custom_name,
    properties: decoded(item.properties),
    funnelFromStep: asNumber(item.funnel_from_step ?? item.funnelFromStep),
    funnelToStep: asNumber(item.funnel_to_step ?? item.funnelToStep),
  })
  if (item.type === 'actions') return [{ kind: 'ActionsNode', id: asNumber(item.id), ...shared }]
  return [{ kind: 'EventsNode', ...withoutEmpty({ event: item.id }), ...shared }]
}
