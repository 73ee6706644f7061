/**
 * Intervals by number, so that "the one before" and "three later" are plain arithmetic, whatever a month or a clock
 * does.
 */

import type { Interval } from '../../contract/queries/index.ts'
import { type Fragment, sql, strings } from '../../engines/clickhouse-sql.ts'
import { HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import { type Instant, toInstant, toLocal } from '../../lib/zone.ts'
import type { Clock } from '../plan/date-range.ts'
import { addIntervals, isShort, startOfInterval } from '../plan/interval.ts'
import { bucketKey, bucketOf } from './time.ts'

export interface Intervals {
  readonly starts: readonly Instant[]
  readonly interval: Interval
}

/** 1 for the first of the intervals, 0 for a moment outside of them. */
export const indexOfInterval = (bucket: Fragment, { starts, interval }: Intervals, { timezone }: Clock): Fragment =>
  sql`indexOf(${strings(starts.map((start) => bucketKey(start, interval, timezone)))}, toString(${bucket}))`

export const intervalOf = (time: Fragment, { interval }: Intervals, { timezone, weekStart }: Clock): Fragment =>
  bucketOf(time, interval, timezone, weekStart)

const SHORT = { second: SECOND, minute: MINUTE, hour: HOUR }

/** The start of the interval so many before (or, negative, after) the one that starts at `start`. */
export function intervalBefore(start: Instant, count: number, interval: Interval, clock: Clock): Instant {
  if (isShort(interval)) return start - count * SHORT[interval]
  const local = startOfInterval(toLocal(start, clock.timezone), interval, clock.weekStart)
  return toInstant(addIntervals(local, -count, interval), clock.timezone)
}
