/**
 * What a range of dates means, for every page: the presets, their names and the days they cover. "Last 30 days" is
 * today and the 29 days before it, thirty days. On the wire that is `-29d`, because there `-30d` begins 30 days before
 * today and so counts 31 days; a saved question that says so is shown as what it is, "Last 31 days".
 */
import { dayOnly, minuteOnly } from './format.ts'

export interface Range {
  readonly from: string
  readonly to?: string | undefined
}

export { LAST_7_DAYS, LAST_30_DAYS } from './usual-ranges.ts'

const lastDays = (days: number) => ({ from: `-${days - 1}d`, label: `Last ${days} days` })

export const RANGES: readonly (Range & { readonly label: string })[] = [
  { from: 'dStart', label: 'Today' },
  { from: '-1dStart', to: '-1dEnd', label: 'Yesterday' },
  { from: '-24h', label: 'Last 24 hours' },
  ...[7, 14, 30, 90, 180].map(lastDays),
  { from: 'mStart', label: 'This month' },
  { from: '-1mStart', to: '-1mEnd', label: 'Last month' },
  { from: 'yStart', label: 'This year' },
  { from: 'all', label: 'All time' },
]

/** The name of a range: of a preset, of so many days, or its days. */
export function rangeLabel({ from, to }: Range, zone: string, now = Date.now()): string {
  const preset = RANGES.find((range) => range.from === from && range.to === to)
  if (preset) return preset.label
  const days = to ? null : /^-(\d+)d$/.exec(from)
  if (days) return lastDays(Number(days[1]) + 1).label
  return rangeDates({ from, to }, zone, now) ?? `${from} to ${to ?? 'now'}`
}

/** What the period before a range is called: "previous 30 days" where the range has a length in its name. */
export function previousRange(range: Range): string {
  const length = /^Last (.+)$/.exec(rangeLabel(range, 'UTC'))?.[1]
  return length ? `previous ${length}` : 'previous period'
}

const UNITS: Readonly<Record<string, string>> = {
  h: 'hour',
  d: 'day',
  w: 'week',
  m: 'month',
  q: 'quarter',
  y: 'year',
}

/** What a range is compared with, in words: the period before it, or the same so much earlier ("-1w"). */
export function comparedWith(range: Range, compareTo: string | undefined): string {
  const [, count, unit = ''] = /^-?(\d+)([hdwmqy])$/.exec(compareTo ?? '') ?? []
  const name = UNITS[unit]
  if (count === undefined || name === undefined) return previousRange(range)
  return `${count} ${name}${count === '1' ? '' : 's'} earlier`
}

/** The days a range covers, "17 Oct 2026 – 15 Nov 2026"; nothing when only the service knows ("all"). */
export function rangeDates({ from, to }: Range, zone: string, now = Date.now()): string | null {
  const hours = /^-(\d+)h$/.exec(from)
  if (hours && !to) {
    const begin = now - Number(hours[1]) * HOUR
    return `${dayOnly(begin, zone)}, ${minuteOnly(begin - (begin % HOUR), zone)} – now`
  }
  const today = localDay(now, zone)
  const first = dayOf(from, today)
  const last = to ? dayOf(to, today) : today
  if (first === null || last === null) return null
  return datesBetween(first, last, 'UTC')
}

/** The day a range begins with, "2026-10-17"; of hours, the day before them. Nothing when only the service knows. */
export function firstDay({ from }: Range, zone: string, now = Date.now()): string | null {
  const hours = /^-(\d+)h$/.exec(from)
  const first = hours ? localDay(now - Number(hours[1]) * HOUR - DAY, zone) : dayOf(from, localDay(now, zone))
  return first === null ? null : new Date(first).toISOString().slice(0, 10)
}

/** Two moments as the days they lie in: one day, or from one to the other. */
export function datesBetween(from: string | number | Date, to: string | number | Date, zone: string): string {
  const [first, last] = [dayOnly(from, zone), dayOnly(to, zone)]
  if (first === last) return first
  const year = / \d{4}$/
  return first.slice(-5) === last.slice(-5) ? `${first.replace(year, '')} – ${last}` : `${first} – ${last}`
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A day of the zone's calendar, as the moment UTC has there. */
const localDay = (time: number, zone: string): number =>
  Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(time))

const ABSOLUTE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/

/** A date as the calendar has it, and the time of the day where one is given. */
function absoluteOf(text: string): { day: number; time?: number } | null {
  const [, year, month, date, hours, minutes, seconds = 0] = (ABSOLUTE.exec(text.trim()) ?? []).map((part) =>
    part === undefined ? undefined : Number(part),
  )
  if (year === undefined || month === undefined || date === undefined) return null
  const day = Date.UTC(year, month - 1, date)
  if (new Date(day).getUTCMonth() !== month - 1 || new Date(day).getUTCDate() !== date) return null
  if (hours === undefined || minutes === undefined) return { day }
  return hours > 23 || minutes > 59 || seconds > 59
    ? null
    : { day, time: (hours * 60 + minutes) * 60_000 + seconds * 1000 }
}

const HOURLY = /^-?(\d*)([hMs])(?:Start|End)?$/

/** Whether the service can read it as a date. */
export const isDate = (text: string): boolean =>
  absoluteOf(text) !== null || RELATIVE.test(text.trim()) || HOURLY.test(text.trim())

export interface RangeProblem {
  readonly field: 'from' | 'to'
  readonly text: string
}

/**
 * What is wrong with a range that was typed or stood in an address. It is said where the range is chosen, and nothing
 * is asked meanwhile: the answer to another range would look like the answer to this one.
 */
export function rangeProblem({ from, to }: Range, zone: string, now = Date.now()): RangeProblem | null {
  const unreadable = (field: 'from' | 'to', said: string): RangeProblem => ({
    field,
    text: `${field === 'from' ? 'The start' : 'The end'} "${said}" is not a date. Write it like 2026-01-31 or -7d.`,
  })
  if (from === '') return to ? { field: 'from', text: 'The range has an end but no start.' } : null
  if (from !== 'all' && !isDate(from)) return unreadable('from', from)
  if (to === undefined || to === '') return null
  if (!isDate(to)) return unreadable('to', to)
  const today = localDay(now, zone)
  const [first, last] = [dayOf(from, today), dayOf(to, today)]
  if (from === 'all' || first === null || last === null) return null
  const [begin, end] = [absoluteOf(from)?.time, absoluteOf(to)?.time]
  const reversed = first > last || (first === last && begin !== undefined && end !== undefined && begin > end)
  if (!reversed) return null
  return { field: 'to', text: `The end, ${dayOnly(last, 'UTC')}, lies before the start, ${dayOnly(first, 'UTC')}.` }
}

const RELATIVE = /^-?(\d*)([dwmqy])(Start|End)?$/

function dayOf(text: string, today: number): number | null {
  const given = absoluteOf(text)
  if (given) return given.day
  const [, count = '', unit, place] = RELATIVE.exec(text.trim()) ?? []
  if (unit === undefined) return null
  const moved = movedBack(today, Number(count || 0), unit)
  if (place === undefined || unit === 'd') return moved
  const [year, month] = [new Date(moved).getUTCFullYear(), new Date(moved).getUTCMonth()]
  if (unit === 'm') return place === 'Start' ? Date.UTC(year, month, 1) : Date.UTC(year, month + 1, 0)
  if (unit === 'y') return place === 'Start' ? Date.UTC(year, 0, 1) : Date.UTC(year, 11, 31)
  return moved
}

const DAYS: Readonly<Record<string, number>> = { d: 1, w: 7, q: 91 }

function movedBack(day: number, count: number, unit: string): number {
  const days = DAYS[unit]
  if (days !== undefined) return day - count * days * DAY
  const months = unit === 'y' ? 12 * count : count
  const date = new Date(day)
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months + 1, 0)).getUTCDate()
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, Math.min(date.getUTCDate(), lastOfMonth))
}
