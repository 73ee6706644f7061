/** Buckets as clients read them: `days` for machines, `labels` for people. */

import { DAY } from '../../lib/durations.ts'
import { type Instant, type Local, startOfDay, toLocal, wallFields } from '../../lib/zone.ts'
import type { DateRange } from '../plan/date-range.ts'
import { isShort } from '../plan/interval.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

const two = (number: number): string => String(number).padStart(2, '0')

export function daysOf(range: DateRange, zone: string): string[] {
  return range.buckets.map((start) => dayText(start, range, zone))
}

/** "2020-01-31", with the time of day for intervals shorter than a day. */
export function dayText(start: Instant, range: Pick<DateRange, 'interval'>, zone: string): string {
  const text = new Date(toLocal(start, zone)).toISOString()
  return isShort(range.interval) ? `${text.slice(0, 10)} ${text.slice(11, 19)}` : text.slice(0, 10)
}

export const labelsOf = (range: DateRange, zone: string): string[] =>
  range.buckets.map((start) => labelOf(toLocal(start, zone), range, zone))

function labelOf(local: Local, range: DateRange, zone: string): string {
  const { year, month, day, hour, minute, second } = wallFields(local)
  const name = MONTHS[month - 1]
  switch (range.interval) {
    case 'second':
      return `${day}-${name} ${two(hour)}:${two(minute)}:${two(second)}`
    case 'minute':
    case 'hour':
      return `${day}-${name} ${two(hour)}:${two(minute)}`
    case 'week':
      return weekLabel(startOfDay(local), range, zone)
    case 'month':
      return `${name} ${year}`
    case 'quarter':
      return `Q${Math.ceil(month / 3)} ${year}`
    case 'year':
      return String(year)
    default:
      return dateLabel(local)
  }
}

const dateLabel = (local: Local): string => {
  const { year, month, day } = wallFields(local)
  return `${day}-${MONTHS[month - 1]}-${year}`
}

/** The days of the week that are counted: all of the first, unless the range begins at an explicit time. */
function weekLabel(weekStart: Local, range: DateRange, zone: string): string {
  const from = Math.max(weekStart, startOfDay(toLocal(range.from, zone)))
  const to = Math.max(from, Math.min(weekStart + 6 * DAY, startOfDay(range.askedTo)))
  if (from === to) return dateLabel(from)
  const first = wallFields(from)
  const last = wallFields(to)
  if (first.year !== last.year) return `${dateLabel(from)} – ${dateLabel(to)}`
  if (first.month !== last.month)
    return `${first.day}-${MONTHS[first.month - 1]} – ${last.day}-${MONTHS[last.month - 1]}`
  return `${first.day}–${last.day} ${MONTHS[last.month - 1]}`
}

/** A moment with the zone's offset, as upstream echoes the bounds of a range. */
export function isoInZone(instant: Instant, zone: string): string {
  const local = toLocal(instant, zone)
  const offset = Math.round((local - instant) / 60_000)
  const text = new Date(local).toISOString().slice(0, 19)
  if (offset === 0) return `${text}Z`
  const minutes = Math.abs(offset)
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
