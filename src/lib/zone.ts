/**
 * Wall-clock time of a time zone. A `Local` is what the clock on the wall shows, written as the ms an UTC clock showing
 * the same would have: adding days to it is plain arithmetic, whatever the zone does to its clocks. An instant is ms
 * since epoch.
 */
import { DAY, SECOND } from './durations.ts'

export type Local = number
export type Instant = number

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}

export function toLocal(instant: Instant, zone: string): Local {
  if (zone === 'UTC') return instant
  const parts: Record<string, string> = {}
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = value
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
  const whole = new Date(0)
  whole.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day))
  whole.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
  return whole.getTime() + (((instant % SECOND) + SECOND) % SECOND)
}

/**
 * The instant at which the wall shows `local`. A time that comes twice (clocks go back) is its first coming; a time
 * that is skipped (clocks go forward) is the moment of the change.
 */
export function toInstant(local: Local, zone: string): Instant {
  if (zone === 'UTC') return local
  const offsetBefore = toLocal(local - DAY, zone) - (local - DAY)
  const offsetAfter = toLocal(local + DAY, zone) - (local + DAY)
  const early = local - Math.max(offsetBefore, offsetAfter)
  if (toLocal(early, zone) === local) return early
  const late = local - Math.min(offsetBefore, offsetAfter)
  if (toLocal(late, zone) === local) return late
  return firstInstantShowing(local, early, late, zone)
}

/** Inside a gap: the first instant whose wall time is past `local`. */
function firstInstantShowing(local: Local, early: Instant, late: Instant, zone: string): Instant {
  let before = early
  let after = late
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (toLocal(middle, zone) < local) before = middle
    else after = middle
  }
  return after
}

interface WallFields {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 is Sunday. */
  readonly weekday: number
}

export function wallFields(local: Local): WallFields {
  const date = new Date(local)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
  }
}

export const startOfDay = (local: Local): Local => Math.floor(local / DAY) * DAY

/** Months later (or earlier), on the same day of the month or the last one there is. */
export function addMonths(local: Local, months: number): Local {
  const date = new Date(local)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = daysInMonth(date.getUTCFullYear(), date.getUTCMonth() + 1)
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}

export const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}
