/** A trend as a table: one row a series, one column an interval. */

import type { CsvRow } from '../../wire/csv-row.ts'
import { labelsOf } from '../../wire/labels.ts'
import type { TrendsResult } from './result.ts'
import { trendsOnWire } from './wire.ts'

export function trendRows(result: TrendsResult): CsvRow[] {
  const series = trendsOnWire(result)
  const nameOf = (each: (typeof series)[number]): string => {
    const custom = each.action?.custom_name
    const name = typeof custom === 'string' && each.breakdown_value === undefined ? custom : each.label
    return each.compare_label === undefined ? name : `${name} (${each.compare_label})`
  }
  if (result.plan.totalValue) {
    return [['series', 'value'], ...series.map((each): CsvRow => [nameOf(each), each.aggregated_value ?? 0])]
  }
  const header = labelsOf(result.plan.range, result.plan.clock.timezone)
  return [['series', ...header], ...series.map((each): CsvRow => [nameOf(each), ...(each.data ?? [])])]
}
