/** Rows become series: empty buckets filled, scaled, accumulated, smoothed, ordered. */

import type { Interval } from '../../../contract/queries/index.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { NULL_LABEL, OTHER_LABEL } from '../../plan/breakdown.ts'
import { bucketKey } from '../../sql/time.ts'
import { sum } from '../../wire/sum.ts'
import { activeDays } from './active.ts'
import { applyFormulas } from './apply-formulas.ts'
import type { Period, TrendSeriesPlan, TrendsPlan } from './plan.ts'
import type { TrendSeries, TrendsResult } from './result.ts'
import type { TrendRow } from './statement.ts'
import { weightOf } from './weight.ts'

export function assembleTrends(plan: TrendsPlan, rows: readonly TrendRow[]): TrendsResult {
  const found = groupBy(rows, (row) => `${row.period}/${row.series}`)
  const hasMore = rows.some((row) => isOther(row.labels))
  const plain = plan.periods.flatMap((period) =>
    plan.series.flatMap((series) => seriesOf(plan, series, period, found.get(`${period.label}/${series.index}`) ?? [])),
  )
  const series = applyFormulas(plan, plain).map((each) => smoothed(plan, each))
  return { kind: 'TrendsQuery', plan, series, hasMore }
}

function seriesOf(plan: TrendsPlan, series: TrendSeriesPlan, period: Period, rows: readonly TrendRow[]): TrendSeries[] {
  const identity = { index: series.index, node: series.node, period }
  if (plan.breakdown === undefined)
    return [{ ...identity, labels: undefined, ...numbersOf(plan, series, period, rows) }]
  const byValue = groupBy(rows, (row) => JSON.stringify(row.labels))
  const cut = [...byValue.values()].map((ofValue) => ({
    ...identity,
    labels: ofValue[0]?.labels ?? [],
    ...numbersOf(plan, series, period, ofValue),
  }))
  return cut.toSorted(byImportance)
}

function numbersOf(
  plan: TrendsPlan,
  series: TrendSeriesPlan,
  period: Period,
  rows: readonly TrendRow[],
): Pick<TrendSeries, 'data' | 'aggregated'> {
  const scale = plan.sampling !== undefined && isScaled(series.math) ? 1 / plan.sampling : 1
  if (plan.totalValue) return { data: [], aggregated: (rows[0]?.value ?? 0) * scale }
  const values = new Map(rows.map((row) => [row.bucket, (row.value ?? 0) * scale]))
  const { buckets, interval } = period.range
  const keys = buckets.map((start) => bucketKey(start, interval, plan.clock.timezone))
  if (isRunning(plan, series, interval)) return { data: carriedOn(keys, values), aggregated: undefined }
  const data = keys.map((key) => values.get(key) ?? 0)
  return { data: plan.cumulative ? addedUp(data) : data, aggregated: undefined }
}

/**
 * A sample counts for the whole; an average, a minimum or a quantile of it stands for itself, and so does what an
 * expression makes of it.
 */
const isScaled = (math: TrendSeriesPlan['math']): boolean =>
  !/^(hogql|avg|min|max|median|p75|p90|p95|p99)(_count_per_actor)?$/.test(math)

/** Whether the engine's values say how many there are so far, on the buckets where that changes. */
function isRunning(plan: TrendsPlan, { math }: TrendSeriesPlan, interval: Interval): boolean {
  if (plan.cumulative && (math === 'dau' || math === 'unique_group')) return true
  return activeDays(math) !== undefined && interval === 'day'
}

function carriedOn(keys: readonly string[], values: ReadonlyMap<string, number>): number[] {
  let last = 0
  return keys.map((key) => {
    last = values.get(key) ?? last
    return last
  })
}

function addedUp(data: readonly number[]): number[] {
  let total = 0
  return data.map((value) => {
    total += value
    return total
  })
}

function smoothed(plan: TrendsPlan, series: TrendSeries): TrendSeries {
  const width = plan.query.trendsFilter?.smoothingIntervals ?? 1
  if (width <= 1 || plan.totalValue) return series
  const data = series.data.map((_, index) => {
    const window = series.data.slice(Math.max(0, index - width + 1), index + 1)
    return Math.floor(sum(window) / window.length)
  })
  return { ...series, data }
}

const isOther = (labels: readonly string[]): boolean =>
  labels.length > 0 && labels.every((label) => label === OTHER_LABEL)
const isNull = (labels: readonly string[]): boolean =>
  labels.length > 0 && labels.every((label) => label === NULL_LABEL)

/** Real values by weight, then in the order of their texts; then the missing value; then the rest. */
function byImportance(a: TrendSeries, b: TrendSeries): number {
  const place = (series: TrendSeries) => (isOther(series.labels ?? []) ? 2 : isNull(series.labels ?? []) ? 1 : 0)
  return place(a) - place(b) || weightOf(b) - weightOf(a) || compareLabels(a.labels ?? [], b.labels ?? [])
}

function compareLabels(a: readonly string[], b: readonly string[]): number {
  for (const [index, label] of a.entries()) {
    const other = b[index] ?? ''
    if (label !== other) return label < other ? -1 : 1
  }
  return 0
}
