import * as z from 'zod/mini'
import { type Looks, looksSchema } from './looks.ts'

/** Looks by the names that saved insights have for them, and back. */
export function looksOf({ unit, prefix, suffix, decimals, log, trendLine, goals }: Looks): object {
  return {
    ...(unit ? { aggregationAxisFormat: unit } : {}),
    ...(prefix ? { aggregationAxisPrefix: prefix } : {}),
    ...(suffix ? { aggregationAxisPostfix: suffix } : {}),
    ...(decimals === undefined ? {} : { decimalPlaces: decimals }),
    ...(log ? { yAxisScaleType: 'log10' } : {}),
    ...(trendLine ? { showTrendLines: true } : {}),
    ...(goals?.length ? { goalLines: goals } : {}),
  }
}

export function looksIn(filter: Record<string, unknown>): Looks {
  const read = z.parse(looksSchema, {
    unit: filter.aggregationAxisFormat,
    prefix: filter.aggregationAxisPrefix || undefined,
    suffix: filter.aggregationAxisPostfix || undefined,
    decimals: filter.decimalPlaces,
    log: filter.yAxisScaleType === 'log10' ? true : undefined,
    trendLine: filter.showTrendLines === true ? true : undefined,
    goals: Array.isArray(filter.goalLines) && filter.goalLines.length > 0 ? filter.goalLines : undefined,
  })
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}
