/**
 * Dates as people write them in a filter: relative to now ("-7d", "mStart", "-1mEnd") or absolute, in the project's
 * time zone.
 */
import { DAY, HOUR, MINUTE, SECOND } from './durations.ts'
import { addMonths, daysInMonth, type Local, startOfDay, toLocal, wallFields } from './zone.ts'

export type RelativeUnit = 'h' | 'd' | 'w' | 'm' | 'M' | 's' | 'q' | 'y'

export interface ParsedDate {
  readonly local: Local
  /** What was said when the date is relative to now. */
  readonly relative?: { readonly unit: RelativeUnit; readonly count: number; readonly position?: 'Start' | 'End' }
}

const RELATIVE = /^-?(\d+)?([hdwmMsqy])(Start|End)?$/
const ABSOLUTE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/
/** Whole weeks, so that a quarter back is the same day of the week. */
const WEEKS_IN_QUARTER = 13
const MAX_COUNT = 100_000

/** Undefined when the text is neither. */
export function parseDate(text: string, nowLocal: Local, zone: string): ParsedDate | undefined {
  const trimmed = text.trim()
  const relative = RELATIVE.exec(trimmed)
  return relative === null ? absoluteDate(trimmed, zone) : relativeDate(relative, nowLocal)
}

export const isDate = (text: string): boolean => parseDate(text, 0, 'UTC') !== undefined

/** What to say about a text that is no date. */
export const notADate = (text: string): string =>
  `${JSON.stringify(text.slice(0, 100))} is not a date: send a day (2024-05-31), a time (2024-05-31T12:00:00Z) or one ` +
  'relative to now (-7d, -24h, mStart).'

function relativeDate(match: RegExpExecArray, nowLocal: Local): ParsedDate {
  const unit = match[2] as RelativeUnit
  const position = match[3] as 'Start' | 'End' | undefined
  // A unit alone ("dStart") is this day, month or year.
  const count = Math.min(Number(match[1] ?? 0), MAX_COUNT)
  const moved = shiftBack(nowLocal, count, unit)
  return { local: placed(moved, unit, position), relative: { unit, count, ...(position && { position }) } }
}

/** Wall-clock time `count` units earlier. */
export function shiftBack(local: Local, count: number, unit: RelativeUnit): Local {
  switch (unit) {
    case 's':
      return local - count * SECOND
    case 'M':
      return local - count * MINUTE
    case 'h':
      return local - count * HOUR
    case 'd':
      return local - count * DAY
    case 'w':
      return local - count * 7 * DAY
    case 'q':
      return local - count * WEEKS_IN_QUARTER * 7 * DAY
    case 'm':
      return addMonths(local, -count)
    case 'y':
      return addMonths(local, -12 * count)
  }
}

function placed(local: Local, unit: RelativeUnit, position: 'Start' | 'End' | undefined): Local {
  if (unit === 's' || unit === 'M') return local
  if (unit === 'h') {
    const start = Math.floor(local / HOUR) * HOUR
    return position === 'End' ? start + HOUR - 1 : start
  }
  const day = startOfDay(local)
  if (position === undefined) return day
  const { year, month } = wallFields(local)
  const start = position === 'Start'
  if (unit === 'm') return Date.UTC(year, month - 1, start ? 1 : daysInMonth(year, month))
  if (unit === 'y') return start ? Date.UTC(year, 0, 1) : Date.UTC(year, 11, 31)
  return start ? day : day + DAY - 1
}

function absoluteDate(text: string, zone: string): ParsedDate | undefined {
  const match = ABSOLUTE.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as number[]
  const fraction = Math.floor(Number(`0.${match[7] ?? 0}`) * SECOND)
  const wall = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) + fraction
  const check = wallFields(wall)
  if (check.month !== month || check.day !== day || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59)
    return undefined
  if (match[8] === undefined) return { local: wall }
  return { local: toLocal(wall - offsetOf(match[8]), zone) }
}

function offsetOf(text: string): number {
  if (text === 'Z') return 0
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.slice(1).replace(':', '').padEnd(4, '0')
  return sign * (Number(digits.slice(0, 2)) * HOUR + Number(digits.slice(2)) * MINUTE)
}

/** True when the text names a day and no time of day. */
export const isDateOnly = (text: string): boolean => /^\d{4}-\d{1,2}-\d{1,2}$/.test(text.trim())
