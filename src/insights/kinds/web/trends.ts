import type { WebMetric, WebTrendsQuery } from '../../../contract/queries/index.ts'
import type { WebTrendsItem } from '../../../contract/results/index.ts'
import { sql } from '../../../engines/clickhouse-sql.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { bucketKey, bucketOf } from '../../sql/time.ts'
import { dayText } from '../../wire/labels.ts'
import type { Asker } from './asker.ts'
import type { WebFields } from './fields.ts'
import type { WebPlan } from './plan.ts'
import { sessionRows } from './session-rows.ts'

interface Row {
  readonly bucket: string
  readonly visitors: number
  readonly views: number
  readonly sessions: number
  readonly bounces: number
  readonly duration: number
}

/** Sessions by when they began, with what happened in them. */
export async function runWebTrends(
  query: WebTrendsQuery,
  plan: WebPlan,
  runner: Asker,
): Promise<WebFields<'WebTrendsQuery'>> {
  const { previous } = plan
  const page = (items: readonly WebTrendsItem[]) =>
    items.slice(query.offset ?? 0, query.limit === undefined ? undefined : (query.offset ?? 0) + query.limit)
  return {
    results: page(await itemsOf(query, { ...plan, previous: undefined }, runner)),
    previous:
      previous === undefined
        ? null
        : page(await itemsOf(query, { ...plan, range: previous, previous: undefined }, runner)),
  }
}

async function itemsOf(query: WebTrendsQuery, plan: WebPlan, runner: Asker): Promise<WebTrendsItem[]> {
  const { range, clock } = plan
  const bucket = bucketOf(sql`start_at`, range.interval, clock.timezone, clock.weekStart)
  const rows = await runner.ask<Row>(
    sql`SELECT toString(${bucket}) AS bucket, uniqExactArray(persons) AS visitors, sum(page_count) AS views, count() AS sessions,
      countIf(is_bounce) AS bounces, avg(lasted) AS duration
    FROM (${sessionRows({ ...plan, goal: undefined })}) GROUP BY bucket`,
  )
  const found = new Map(rows.map((row) => [row.bucket, row]))
  return range.buckets.map((start) => ({
    bucket: dayText(start, range, clock.timezone),
    metrics: metricsOf(query.metrics, found.get(keyOf(start, range, clock.timezone))),
  }))
}

const keyOf = (start: number, range: DateRange, zone: string): string => bucketKey(start, range.interval, zone)

function metricsOf(asked: readonly WebMetric[], row: Row | undefined): WebTrendsItem['metrics'] {
  const all: Required<WebTrendsItem['metrics']> = {
    UniqueUsers: row?.visitors ?? 0,
    PageViews: row?.views ?? 0,
    Sessions: row?.sessions ?? 0,
    Bounces: row?.bounces ?? 0,
    SessionDuration: row?.duration ?? 0,
    TotalSessions: row?.sessions ?? 0,
  }
  return Object.fromEntries(asked.map((metric) => [metric, all[metric]]))
}
