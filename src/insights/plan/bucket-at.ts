/** The bucket a client means by one of the `days` it was given. */
import type { DateRangeInput } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { parseDate } from '../../lib/parse-date.ts'
import { type Instant, toInstant, toLocal } from '../../lib/zone.ts'
import type { Clock, DateRange } from './date-range.ts'
import { addIntervals, isShort, startOfInterval } from './interval.ts'

interface Bucket {
  readonly from: Instant
  readonly to: Instant
}

/** One of the buckets of a result. */
export function bucketAt(day: string | number, range: DateRange, clock: Clock): Bucket {
  const { isInRange, ...bucket } = bucketOf(day, range, clock)
  if (!isInRange) throw new InvalidQuery(`"${day}" is not one of the days of this result.`, ['day'])
  return bucket
}

interface Dated {
  readonly dateRange?: DateRangeInput | undefined
}

/** The plan of a question; about a day that it no longer shows, the plan of the same question about that day. */
export function aroundDay<Source extends Dated, Plan extends { readonly range: DateRange; readonly clock: Clock }>(
  day: string | number,
  source: Source,
  planned: (source: Source) => Plan,
): Plan {
  const plan = planned(source)
  const { from, to, isInRange } = bucketOf(day, plan.range, plan.clock)
  if (isInRange) return plan
  const iso = (at: Instant) => new Date(at).toISOString()
  return planned({ ...source, dateRange: { ...source.dateRange, date_from: iso(from), date_to: iso(to) } })
}

/**
 * The bucket that begins on a day, also of one that the result no longer shows: a chart may be older than the question
 * about one of its points.
 */
export function bucketOf(day: string | number, range: DateRange, clock: Clock): Bucket & { isInRange: boolean } {
  const { timezone } = clock
  const local = parseDate(String(day), toLocal(clock.now, timezone), timezone)?.local ?? Number.NaN
  const start = startOfInterval(local, range.interval, clock.weekStart)
  const at = range.buckets.findIndex((bucket) => startOfBucket(bucket) === start)
  const from = range.buckets[at]
  if (Number.isNaN(start)) throw new InvalidQuery(`"${day}" is not a day: say 2024-05-09, or a time.`, ['day'])
  const next = range.buckets[at + 1] ?? toInstant(addIntervals(start, 1, range.interval), timezone)
  if (from === undefined) {
    const begins = toInstant(start, timezone)
    return {
      from: begins,
      to: Math.max(begins, toInstant(addIntervals(start, 1, range.interval), timezone) - 1),
      isInRange: false,
    }
  }
  return { from, to: Math.max(from, next - 1), isInRange: true }

  function startOfBucket(bucket: Instant): number {
    const shown = toLocal(bucket, timezone)
    return isShort(range.interval) ? shown : startOfInterval(shown, range.interval, clock.weekStart)
  }
}
