/** All series and periods of a trends query as one statement. */
import { type Fragment, join, sql, str, uint } from '../../../engines/clickhouse-sql.ts'
import { measure } from './measure.ts'
import type { Period, TrendSeriesPlan, TrendsPlan } from './plan.ts'

export interface TrendRow {
  readonly series: number
  readonly period: Period['label']
  readonly bucket: string
  readonly labels: readonly string[]
  readonly value: number | null
}

export function trendsStatement(plan: TrendsPlan): Fragment | undefined {
  const parts = plan.periods.flatMap((period) => plan.series.map((series) => part(plan, series, period)))
  return parts.length === 0 ? undefined : join(parts, ' UNION ALL ')
}

const part = (plan: TrendsPlan, series: TrendSeriesPlan, period: Period): Fragment => sql`
SELECT ${uint(series.index)} AS series, ${str(period.label)} AS period, toString(bucket) AS bucket, labels, CAST(value, 'Nullable(Float64)') AS value
FROM (
${measure(plan, series, period.range)}
)`
