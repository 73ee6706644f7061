import type { TrendSeries } from './result.ts'

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** What a series weighs among the others. */
export const weightOf = (series: Pick<TrendSeries, 'data' | 'aggregated'>): number =>
  series.aggregated ?? sum(series.data)
