import type { WebMetric, WebTrendsQuery } from '../../../contract/queries/index.ts'
import type { WebTrendsItem } from '../../../contract/results/index.ts'
import { sql } from '../../../engines/clickhouse-sql.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { bucketKey, bucketOf } from '../../sql/time.ts'
import { dayText } from '../../wire/labels.ts'
import type { WebPlan } from './plan.ts'
import type { SessionQuestion } from './session-question.ts'
import { numberOf, type TableRow } from './table.ts'
import type { Label, Measure } from './totals.ts'

/** Sessions by when they began, with what happened in them. */
export function trends(query: WebTrendsQuery, plan: WebPlan): SessionQuestion<'WebTrendsQuery'> {
  const { range, previous, clock } = plan
  const by: Label = (of) =>
    sql`toString(${bucketOf(of('$start_timestamp'), range.interval, clock.timezone, clock.weekStart)})`
  const page = (items: readonly WebTrendsItem[]) =>
    items.slice(query.offset ?? 0, query.limit === undefined ? undefined : (query.offset ?? 0) + query.limit)
  return {
    parts: [{ by, measures: ['visitors', 'views', 'sessions', 'bounces', 'duration'] }],
    answer: ([rows = []]) => {
      const found = new Map(rows.map((row) => [row.label, row]))
      const items = (over: DateRange, suffix: '' | '_before') =>
        page(
          over.buckets.map((start) => ({
            bucket: dayText(start, over, clock.timezone),
            metrics: metricsOf(query.metrics, found.get(keyOf(start, over, clock.timezone)), suffix),
          })),
        )
      return { results: items(range, ''), previous: previous === undefined ? null : items(previous, '_before') }
    },
  }
}

const keyOf = (start: number, range: DateRange, zone: string): string => bucketKey(start, range.interval, zone)

function metricsOf(
  asked: readonly WebMetric[],
  row: TableRow | undefined,
  suffix: '' | '_before',
): WebTrendsItem['metrics'] {
  const value = (name: Measure): number => numberOf(row?.[`${name}${suffix}`]) ?? 0
  const all: Required<WebTrendsItem['metrics']> = {
    UniqueUsers: value('visitors'),
    PageViews: value('views'),
    Sessions: value('sessions'),
    Bounces: value('bounces'),
    SessionDuration: value('duration'),
    TotalSessions: value('sessions'),
  }
  return Object.fromEntries(asked.map((metric) => [metric, all[metric]]))
}
