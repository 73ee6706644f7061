/** Trend series as clients read them. */

import type { SeriesNode } from '../parse/shared-schema.ts'
import { NULL_LABEL } from '../plan/breakdown.ts'
import type { TrendSeries, TrendsResult } from '../trends/result.ts'
import { sum } from '../trends/weight.ts'
import { daysOf, isoInZone, labelsOf } from './labels.ts'
import { nameOf } from './names.ts'
import { propertiesOnWire } from './properties.ts'

export interface TrendSeriesOnWire {
  readonly action: Record<string, unknown> | null
  readonly label: string
  readonly count: number
  readonly data: readonly number[] | null
  readonly days: readonly string[]
  readonly labels?: readonly string[]
  readonly aggregated_value?: number
  readonly breakdown_value?: string | readonly string[]
  readonly compare?: true
  readonly compare_label?: 'current' | 'previous'
  readonly filter: Record<string, unknown>
}

export function trendsOnWire(result: TrendsResult): TrendSeriesOnWire[] {
  return result.series.map((series) => seriesOnWire(result, series))
}

function seriesOnWire(result: TrendsResult, series: TrendSeries): TrendSeriesOnWire {
  const { plan } = result
  const zone = plan.clock.timezone
  const days = daysOf(series.period.range, zone)
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
    labels: labelsOf(series.period.range, zone),
    days,
  }
}

function labelOf(result: TrendsResult, series: TrendSeries): string {
  if (series.formula !== undefined && series.labels === undefined) {
    return series.formula.custom_name ?? `Formula (${series.formula.formula})`
  }
  const name = series.node === undefined ? '' : nameOf(series.node)
  if (series.labels === undefined) return name
  const value = series.labels.join('::')
  return result.plan.series.length > 1 && series.node !== undefined ? `${name} - ${value}` : value
}

function breakdownValue(result: TrendsResult, series: TrendSeries): { breakdown_value?: string | readonly string[] } {
  if (series.labels === undefined) return {}
  return { breakdown_value: result.plan.breakdown?.multiple ? series.labels : (series.labels[0] ?? NULL_LABEL) }
}

function actionOnWire(node: SeriesNode, order: number, days: readonly string[]): Record<string, unknown> {
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
function echo({ plan }: TrendsResult, series: TrendSeries): Record<string, unknown> {
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
