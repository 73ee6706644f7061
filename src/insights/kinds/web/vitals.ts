import type { WebVitalsPathBreakdownQuery } from '../../../contract/queries/index.ts'
import { and, sql } from '../../../engines/clickhouse-sql.ts'
import { scopeOf } from '../../plan/plan.ts'
import type { Asker } from './asker.ts'
import { eventConditionsOf } from './event-table.ts'
import type { WebFields } from './fields.ts'
import { cleaned } from './paths.ts'
import type { WebPlan } from './plan.ts'

const PATHS_OF_A_BAND = 20
const LEVEL = { p75: sql`0.75`, p90: sql`0.9`, p99: sql`0.99` } as const

/** Pages by what so many of their views are no worse than; of each band those with the most views. */
export async function runVitalsByPath(
  query: WebVitalsPathBreakdownQuery,
  plan: WebPlan,
  runner: Asker,
): Promise<WebFields<'WebVitalsPathBreakdownQuery'>> {
  const current: WebPlan = { ...plan, previous: undefined }
  const scope = scopeOf(current, plan.range)
  const text = (key: string) => sql`ifNull(${scope.property({ type: 'event', key })}, '')`
  const value = sql`toFloat64OrNull(${text(`$web_vitals_${query.metric}_value`)})`
  const path = cleaned(sql`if(${text('$pathname')} != '', ${text('$pathname')}, path(${text('$current_url')}))`, plan)
  const where = and([
    ...eventConditionsOf(current, scope),
    sql`e.event = '$web_vitals'`,
    sql`isFinite(ifNull(${value}, nan))`,
  ])
  const rows = await runner.ask<{ path: string; value: number }>(
    sql`SELECT ${path} AS path, quantile(${LEVEL[query.percentile]})(assumeNotNull(${value})) AS value, count() AS views
      FROM ${scope.from()} WHERE ${where} GROUP BY path ORDER BY views DESC, path LIMIT 1000`,
  )
  const [good, poor] = query.thresholds
  const band = (isIn: (value: number) => boolean) =>
    rows
      .filter((row) => isIn(row.value))
      .slice(0, PATHS_OF_A_BAND)
      .map((row) => ({ path: row.path, value: row.value }))
      .toSorted((a, b) => b.value - a.value)
  return {
    results: [
      {
        good: band((each) => each <= good),
        needs_improvements: band((each) => each > good && each <= poor),
        poor: band((each) => each > poor),
      },
    ],
  }
}
