/** How the rate of conversion changes: of those who entered in an interval, the share that got through. */
import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/durations.ts'
import { groupBy } from '../../../lib/group-by.ts'
import { type Instant, toInstant, toLocal } from '../../../lib/zone.ts'
import { addIntervals } from '../../plan/interval.ts'
import { bucketKey, bucketOf } from '../../sql/time.ts'
import { whole } from '../../sql/whole.ts'
import { isShown, labelsOf } from './breakdown.ts'
import { timeOfStep } from './columns.ts'
import type { FunnelPlan } from './plan.ts'
import type { FunnelTrendsResult } from './result.ts'
import { triesStatement } from './tries.ts'

export interface TrendRow {
  readonly label: number
  readonly bucket: string
  readonly entered: number
  readonly converted: number
}

export function trendResult(plan: FunnelPlan, rows: readonly TrendRow[]): FunnelTrendsResult {
  const { buckets, interval } = plan.range
  const keys = buckets.map((start) => bucketKey(start, interval, plan.clock.timezone))
  const shown = rows.filter(({ label }) => isShown(plan, label))
  const groups = [...groupBy(shown, ({ label }) => String(label)).values()]
    .map((ofValue) => {
      const byBucket = new Map(ofValue.map((row) => [row.bucket, row]))
      return {
        labels: labelsOf(plan, ofValue[0]?.label ?? 0),
        rates: keys.map((key) => rateOf(byBucket.get(key))),
        entered: ofValue.reduce((sum, { entered }) => sum + entered, 0),
      }
    })
    .toSorted((a, b) => b.entered - a.entered || (String(a.labels) < String(b.labels) ? -1 : 1))
  const empty = groups.length === 0 && plan.breakdown === undefined && plan.steps.length > 0
  return {
    kind: 'FunnelsQuery',
    viz: 'trends',
    plan,
    groups: empty ? [{ labels: [], rates: keys.map(() => 0) }] : groups,
  }
}

const rateOf = (row: TrendRow | undefined): number =>
  row === undefined || row.entered === 0 ? 0 : Math.round((row.converted / row.entered) * 10_000) / 100

/** One row a breakdown value and interval. */
export const trendStatement = (plan: FunnelPlan): Fragment => sql`SELECT label, toString(bucket) AS bucket,
  countIf(level > ${whole(plan.fromStep)}) AS entered, countIf(level > ${whole(plan.toStep)}) AS converted
FROM (${triesByBucket(plan)})
GROUP BY label, bucket`

/** One row an actor, breakdown value and interval in which it began a try: how far the best of those got. */
export function triesByBucket(plan: FunnelPlan): Fragment {
  const { range, clock } = plan
  const began = sql`fromUnixTimestamp64Micro(began, 'UTC')`
  return sql`SELECT actor, label, ${bucketOf(began, range.interval, clock.timezone, clock.weekStart)} AS bucket, max(reached) AS level
FROM (${triesStatement(plan)})
ARRAY JOIN ${timeOfStep(0)} AS began, levels AS reached
GROUP BY actor, label, bucket`
}

const LENGTH = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY, month: 31 * DAY }

/** Leaves out the last intervals, when asked to, of which some may still convert. */
export function withoutOpenWindows(plan: FunnelPlan): FunnelPlan {
  if (!plan.query.funnelsFilter?.hideIncompleteConversionWindowPeriods) return plan
  const { range, clock, window } = plan
  const closed = clock.now - window.count * LENGTH[window.unit]
  const endOf = (start: Instant): Instant =>
    toInstant(addIntervals(toLocal(start, clock.timezone), 1, range.interval), clock.timezone)
  return { ...plan, range: { ...range, buckets: range.buckets.filter((start) => endOf(start) <= closed) } }
}
