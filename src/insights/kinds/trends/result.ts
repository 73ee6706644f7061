/** The answer to a trends query, before it is dressed for the wire. */
import type { SeriesNode } from '../../../contract/queries/index.ts'
import type { Period, TrendsPlan } from './plan.ts'

export interface TrendSeries {
  /** Position of the series in the query; undefined for a formula. */
  readonly index: number | undefined
  readonly node: SeriesNode | undefined
  readonly formula?: { readonly formula: string; readonly custom_name?: string | undefined }
  readonly period: Period
  /** The breakdown's values, one for each property; undefined without a breakdown. */
  readonly labels: readonly string[] | undefined
  /** One number an interval; empty for total-value displays. */
  readonly data: readonly number[]
  /** One number for the whole range, for total-value displays. */
  readonly aggregated: number | undefined
}

export interface TrendsResult {
  readonly kind: 'TrendsQuery'
  readonly plan: TrendsPlan
  readonly series: readonly TrendSeries[]
  /** Some breakdown values were put together as "other". */
  readonly hasMore: boolean
}

/**
 * Where the next page of breakdown values starts (`offset` of the legacy filter), or null when every value has been
 * shown.
 */
export function nextOffset({ plan, hasMore, series }: TrendsResult): number | null {
  const { breakdown } = plan
  if (breakdown?.limit === undefined) return null
  const values = new Set(series.map(({ labels }) => JSON.stringify(labels)))
  const pageIsFull = (breakdown.hideOther || breakdown.offset > 0) && values.size >= breakdown.limit
  return hasMore || pageIsFull ? breakdown.offset + breakdown.limit : null
}
