/** Intervals on the wall clock: where one starts, and where the next does. */
import type { Interval } from '../../contract/queries/index.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/durations.ts'
import { addMonths, type Instant, type Local, startOfDay, toInstant, toLocal, wallFields } from '../../lib/zone.ts'

/** 0: weeks start on Sunday; 1: on Monday. */
export type WeekStart = 0 | 1

const LENGTH = { second: SECOND, minute: MINUTE, hour: HOUR } as const
const MONTHS = { month: 1, quarter: 3, year: 12 } as const

type ShortInterval = keyof typeof LENGTH
/** Intervals shorter than a day are counted in instants, the others in days of the calendar. */
export const isShort = (interval: Interval): interval is ShortInterval => interval in LENGTH

export function startOfInterval(local: Local, interval: Interval, weekStart: WeekStart): Local {
  if (isShort(interval)) return Math.floor(local / LENGTH[interval]) * LENGTH[interval]
  const day = startOfDay(local)
  const { year, month, weekday } = wallFields(local)
  switch (interval) {
    case 'day':
      return day
    case 'week':
      return day - ((weekday - weekStart + 7) % 7) * DAY
    case 'month':
      return Date.UTC(year, month - 1, 1)
    case 'quarter':
      return Date.UTC(year, Math.floor((month - 1) / 3) * 3, 1)
    case 'year':
      return Date.UTC(year, 0, 1)
  }
}

/** Wall-clock time `count` intervals later, or earlier when negative. */
export function addIntervals(local: Local, count: number, interval: Interval): Local {
  if (isShort(interval)) return local + count * LENGTH[interval]
  if (interval === 'day') return local + count * DAY
  if (interval === 'week') return local + count * 7 * DAY
  return addMonths(local, count * MONTHS[interval])
}

/**
 * The starts of all intervals that touch the time from `from` to `to`. Past `limit` of them the list is cut, for the
 * caller to refuse.
 */
export function bucketStarts(
  from: Instant,
  to: Instant,
  interval: Interval,
  weekStart: WeekStart,
  zone: string,
  limit: number,
): Instant[] {
  const starts: Instant[] = []
  let local = startOfInterval(toLocal(from, zone), interval, weekStart)
  let start = isShort(interval) ? startOfShort(from, interval, zone) : toInstant(local, zone)
  while (start <= to && starts.length <= limit) {
    starts.push(start)
    if (isShort(interval)) {
      // An hour later, on the hour of the wall: zones exist that move their clocks by half an hour.
      const next = startOfShort(start + LENGTH[interval], interval, zone)
      start = next > start ? next : start + LENGTH[interval]
    } else {
      local = addIntervals(local, 1, interval)
      start = toInstant(local, zone)
    }
  }
  return starts
}

/** Steps back in real time, so that an hour that the clock shows twice has two starts. */
function startOfShort(instant: Instant, interval: ShortInterval, zone: string): Instant {
  const local = toLocal(instant, zone)
  return instant - (local - startOfInterval(local, interval, 0))
}
