/** The bucket a client means by one of the `days` it was given. */
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { parseDate } from '../../lib/parse-date.ts'
import { type Instant, toInstant, toLocal } from '../../lib/zone.ts'
import type { Clock, DateRange } from './date-range.ts'
import { addIntervals, isShort, startOfInterval } from './interval.ts'

export function bucketAt(day: string | number, range: DateRange, clock: Clock): { from: Instant; to: Instant } {
  const { timezone } = clock
  const local = parseDate(String(day), toLocal(clock.now, timezone), timezone)?.local ?? Number.NaN
  const start = startOfInterval(local, range.interval, clock.weekStart)
  const at = range.buckets.findIndex((bucket) => startOfBucket(bucket) === start)
  const from = range.buckets[at]
  if (from === undefined) {
    throw new InvalidQuery(`"${day}" is not one of the days of this result.`, ['day'])
  }
  const next = range.buckets[at + 1] ?? toInstant(addIntervals(start, 1, range.interval), timezone)
  return { from, to: Math.max(from, next - 1) }

  function startOfBucket(bucket: Instant): number {
    const shown = toLocal(bucket, timezone)
    return isShort(range.interval) ? shown : startOfInterval(shown, range.interval, clock.weekStart)
  }
}
