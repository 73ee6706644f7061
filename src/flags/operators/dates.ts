/** Dates in filters and in properties. A date without a zone is in the project's. */
import { DAY, SECOND } from '../../lib/durations.ts'
import type { Json } from '../../lib/json.ts'
import { isDateOnly, parseDate, type RelativeUnit, shiftBack } from '../../lib/parse-date.ts'
import { toInstant } from '../../lib/zone.ts'
import { numberOf } from './values.ts'

const RELATIVE = /^-?(\d{1,4})([hdwmy])$/
/** Beyond this a number counts milliseconds: as seconds it would be in the year 5138. */
const MILLISECONDS_FROM = 1e11

/** A moment, as of now when the filter is relative to it. */
export type Moment = (now: number) => number

/** Undefined when the filter's value is no date. */
export function momentOf(value: Json | undefined, zone: string): Moment | undefined {
  if (typeof value === 'string') {
    const relative = RELATIVE.exec(value.trim())
    if (relative) return (now) => shiftBack(now, Number(relative[1]), relative[2] as RelativeUnit)
  }
  const instant = instantOf(value, zone)
  return instant === undefined ? undefined : () => instant
}

/** The moment a property says: a date, or unix time as a number or its text. */
export function instantOf(value: Json | undefined, zone: string): number | undefined {
  const number = numberOf(value)
  if (number !== undefined) return Math.abs(number) >= MILLISECONDS_FROM ? number : number * SECOND
  if (typeof value !== 'string' || !/^\s*\d{4}-/.test(value)) return undefined
  const parsed = parseDate(value, 0, zone)
  return parsed && toInstant(parsed.local, zone)
}

/** A day that is named without a time means all of it. */
export function sameMoment(
  value: Json | undefined,
  zone: string,
): ((instant: number, now: number) => boolean) | undefined {
  const moment = momentOf(value, zone)
  if (moment === undefined) return undefined
  if (typeof value !== 'string' || !isDateOnly(value)) return (instant, now) => instant === moment(now)
  const start = parseDate(value, 0, zone)?.local ?? 0
  const [from, to] = [toInstant(start, zone), toInstant(start + DAY, zone)]
  return (instant) => instant >= from && instant < to
}
