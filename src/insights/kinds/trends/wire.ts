/** Trend series as clients read them. */

import type { SeriesNode } from '../../../contract/queries/index.ts'
import type { TrendSeries as SeriesOnWire, TrendsResult as TrendsOnWire } from '../../../contract/results/index.ts'
import { NULL_LABEL, namesOf } from '../../plan/breakdown.ts'
import { daysOf, isoInZone, labelsOf } from '../../wire/labels.ts'
import { cohortOnWire, nameOf } from '../../wire/names.ts'
import { entityOf, intervalUrls, linksPoints, type PointLink, type Span, spansOf } from '../../wire/point-links.ts'
import { propertiesOnWire } from '../../wire/properties.ts'
import { sum } from '../../wire/sum.ts'
import type { TrendSeries, TrendsResult } from './result.ts'

/** The legacy answer leads from every number to its people; the node's does not. */
export function trendsOnWire(result: TrendsResult, link?: PointLink): TrendsOnWire {
  const { plan } = result
  const points = result.series.reduce((sum, { data }) => sum + Math.max(1, data.length), 0)
  const linked = link !== undefined && linksPoints(points)
  // The same for all series of a period, and dear to work out.
  const axes = new Map(
    plan.periods.map(({ label, range }) => {
      const zone = plan.clock.timezone
      const spans = linked ? spansOf(range, plan.clock) : []
      return [label, { days: daysOf(range, zone), labels: labelsOf(range, zone), spans }]
    }),
  )
  return result.series.map((series) => {
    const axis = axes.get(series.period.label) ?? { days: [], labels: [], spans: [] }
    const onWire = seriesOnWire(result, series, axis)
    return linked ? { ...onWire, ...peopleOf(result, series, link, axis.spans) } : onWire
  })
}

/** Nobody in particular stands behind a formula. */
function peopleOf(
  { plan }: TrendsResult,
  { node, index, labels, period }: TrendSeries,
  link: PointLink,
  spans: readonly Span[],
): Pick<SeriesOnWire, 'persons' | 'persons_urls'> {
  if (node === undefined || index === undefined) return {}
  const value = labels && (plan.breakdown?.multiple ? labels : labels[0])
  const which = {
    ...(value === undefined ? {} : { breakdown_value: value }),
    ...(plan.compare ? { compare_label: period.label } : {}),
  }
  const filter = { ...entityOf(node, index), ...which }
  const url = link('trends', { entity_order: index, ...which })
  if (!plan.totalValue) return { persons_urls: intervalUrls(spans, filter, url, 'day') }
  const { timezone } = plan.clock
  const dates = { date_from: isoInZone(period.range.from, timezone), date_to: isoInZone(period.range.to, timezone) }
  return { persons: { filter: { ...filter, ...dates }, url } }
}

function seriesOnWire(
  result: TrendsResult,
  series: TrendSeries,
  { days, labels }: { readonly days: readonly string[]; readonly labels: readonly string[] },
): SeriesOnWire {
  const { plan } = result
  const { data } = series
  const shared = {
    action: series.node === undefined ? null : actionOnWire(series.node, series.index ?? 0, days),
    label: labelOf(result, series),
    ...breakdownValue(result, series),
    ...(plan.compare ? { compare: true as const, compare_label: series.period.label } : {}),
    filter: echo(result, series),
  }
  if (plan.totalValue) {
    return {
      ...shared,
      count: 0,
      data: series.formula === undefined ? [] : null,
      days: [],
      aggregated_value: series.aggregated ?? 0,
    }
  }
  return {
    ...shared,
    count: plan.cumulative ? (data.at(-1) ?? 0) : sum(data),
    data,
    labels,
    days,
  }
}

function labelOf(result: TrendsResult, series: TrendSeries): string {
  if (series.formula !== undefined && series.labels === undefined) {
    return series.formula.custom_name ?? `Formula (${series.formula.formula})`
  }
  const name = series.node === undefined ? '' : nameOf(series.node)
  if (series.labels === undefined) return name
  const value = namesOf(result.plan.breakdown, series.labels).join('::')
  return result.plan.series.length > 1 && series.node !== undefined ? `${name} - ${value}` : value
}

function breakdownValue(
  { plan }: TrendsResult,
  series: TrendSeries,
): Pick<SeriesOnWire, 'breakdown_value' | 'breakdown_name'> {
  if (series.labels === undefined) return {}
  if (plan.breakdown?.names !== undefined)
    return {
      breakdown_value: cohortOnWire(series.labels[0] ?? ''),
      breakdown_name: namesOf(plan.breakdown, series.labels).join(),
    }
  return { breakdown_value: plan.breakdown?.multiple ? series.labels : (series.labels[0] ?? NULL_LABEL) }
}

function actionOnWire(node: SeriesNode, order: number, days: readonly string[]): SeriesOnWire['action'] {
  const id = node.kind === 'EventsNode' ? (node.event ?? null) : node.kind === 'ActionsNode' ? node.id : null
  return {
    days,
    id,
    type: node.kind === 'ActionsNode' ? 'actions' : 'events',
    order,
    name: node.name ?? nameOf(node),
    custom_name: node.custom_name ?? null,
    math: node.math ?? 'total',
    math_property: node.math_property ?? null,
    math_hogql: node.math_hogql ?? null,
    math_group_type_index: node.math_group_type_index ?? null,
    properties: propertiesOnWire(node.properties),
  }
}

/** A small echo of what was asked, in the legacy keys that clients look for. */
function echo({ plan }: TrendsResult, series: TrendSeries): SeriesOnWire['filter'] {
  const { query } = plan
  const zone = plan.clock.timezone
  const { range } = series.period
  return {
    insight: 'TRENDS',
    display: plan.display,
    interval: query.interval,
    date_from: isoInZone(range.from, zone),
    date_to: isoInZone(range.to, zone),
    ...(query.breakdownFilter?.breakdown !== undefined && {
      breakdown: query.breakdownFilter.breakdown,
      breakdown_type: query.breakdownFilter.breakdown_type ?? 'event',
    }),
    ...(query.breakdownFilter?.breakdowns !== undefined && { breakdowns: query.breakdownFilter.breakdowns }),
    ...(series.formula !== undefined && { formula: series.formula.formula }),
    ...(plan.compare && { compare: true }),
  }
}
