import { sum } from '../../wire/sum.ts'
import type { TrendSeries } from './result.ts'

/** What a series weighs among the others. */
export const weightOf = (series: Pick<TrendSeries, 'data' | 'aggregated'>): number =>
  series.aggregated ?? sum(series.data)
