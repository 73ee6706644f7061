/** Which time a question is about: its bounds, its buckets, and the earlier period it is compared with. */

import type { DateRangeInput, Interval } from '../../contract/queries/index.ts'
import { DAY, HOUR } from '../../lib/durations.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { type ParsedDate, type RelativeUnit, shiftBack } from '../../lib/parse-date.ts'
import { type Instant, type Local, startOfDay, toInstant, toLocal } from '../../lib/zone.ts'
import { addIntervals, bucketStarts, isShort, startOfInterval, type WeekStart } from './interval.ts'
import { readDate } from './moment-of.ts'

export interface Clock {
  readonly now: Instant
  readonly timezone: string
  readonly weekStart: WeekStart
  /** The project's first event, for "all"; absent means there is none. */
  readonly earliestEvent?: Instant
}

export interface DateRange {
  /** Events count from `from` to the end of the ms `to`. */
  readonly from: Instant
  readonly to: Instant
  /** The bounds before they were widened to whole intervals, for labels and echoes. */
  readonly askedFrom: Local
  readonly askedTo: Local
  readonly interval: Interval
  readonly buckets: readonly Instant[]
  /** What a comparison needs to know about how `from` and `to` were said. */
  readonly relativeFrom?: ParsedDate['relative']
  readonly relativeTo?: ParsedDate['relative']
}

const DEFAULT_DAYS = 7
const MAX_BUCKETS = 50_000
/** Buckets are keyed by ClickHouse's Date, which starts here. */
const EPOCH = 0

export function planDateRange(
  input: DateRangeInput,
  interval: Interval,
  clock: Clock,
  defaultFrom?: string,
): DateRange {
  const nowLocal = toLocal(clock.now, clock.timezone)
  const from = readFrom(input.date_from ?? defaultFrom, nowLocal, clock)
  const to = input.date_to ? readDate(input.date_to, clock, ['dateRange', 'date_to']) : undefined
  const askedTo = endOf(to?.local ?? nowLocal, interval, input.explicitDate)
  // Only what was sent can be wrong: a default start, or the project's first event, may well lie after the end.
  if (input.date_from && input.date_to && input.date_from !== 'all' && from.local > askedTo)
    throw crossed(input.date_from, input.date_to, from.local, askedTo)
  return rangeBetween(from.local, askedTo, interval, clock, {
    exactFrom: input.explicitDate || isHourLevel(from.relative?.unit),
    ...(to === undefined && { notBefore: clock.now }),
    ...(from.relative && { relativeFrom: from.relative }),
    ...(to?.relative && { relativeTo: to.relative }),
  })
}

function crossed(date_from: string, date_to: string, from: Local, to: Local): InvalidQuery {
  const read = (said: string, local: Local) =>
    `${JSON.stringify(said)} (${new Date(local).toISOString().slice(0, 19).replace('T', ' ')})`
  return new InvalidQuery(
    `date_to ${read(date_to, to)} lies before date_from ${read(date_from, from)}: send an earlier date_from or a later date_to.`,
    ['dateRange', 'date_to'],
  )
}

interface Manner {
  /** Take `from` to the second instead of from the start of its interval. */
  readonly exactFrom: boolean
  /** The end is at least here: an hour that the wall shows twice must not end with its first coming. */
  readonly notBefore?: Instant
  readonly relativeFrom?: ParsedDate['relative']
  readonly relativeTo?: ParsedDate['relative']
}

function rangeBetween(askedFrom: Local, askedTo: Local, interval: Interval, clock: Clock, manner: Manner): DateRange {
  const zone = clock.timezone
  const fromLocal = manner.exactFrom ? askedFrom : startOfInterval(askedFrom, interval, clock.weekStart)
  const from = Math.max(EPOCH, toInstant(fromLocal, zone))
  const to = Math.max(toInstant(askedTo, zone), manner.notBefore ?? Number.NEGATIVE_INFINITY)
  const buckets = bucketStarts(from, to, interval, clock.weekStart, zone, MAX_BUCKETS)
  if (buckets.length > MAX_BUCKETS) {
    throw new InvalidQuery(
      `The date range holds more than ${MAX_BUCKETS} intervals of one ${interval}: ask for a shorter range or a longer interval.`,
      ['interval'],
      'query_too_heavy',
    )
  }
  return {
    from,
    to,
    askedFrom,
    askedTo,
    interval,
    buckets,
    ...(manner.relativeFrom && { relativeFrom: manner.relativeFrom }),
    ...(manner.relativeTo && { relativeTo: manner.relativeTo }),
  }
}

function readFrom(text: string | undefined, nowLocal: Local, clock: Clock): ParsedDate {
  if (text === 'all') {
    return { local: startOfDay(toLocal(clock.earliestEvent ?? clock.now, clock.timezone)) }
  }
  if (text === undefined || text === '')
    return { local: startOfDay(nowLocal) - DEFAULT_DAYS * DAY, relative: { unit: 'd', count: DEFAULT_DAYS } }
  return readDate(text, clock, ['dateRange', 'date_from'])
}

const isHourLevel = (unit: RelativeUnit | undefined): boolean => unit === 'h' || unit === 'M' || unit === 's'

/** The last ms that still belongs to the asked day or hour. */
function endOf(local: Local, interval: Interval, explicit: boolean): Local {
  if (explicit) return local
  if (!isShort(interval)) return startOfDay(local) + DAY - 1
  return interval === 'hour' ? Math.floor(local / HOUR) * HOUR + HOUR - 1 : local
}

const COMPARE_TO = /^-?(\d+)([hdwmMsqy])$/

/** The period before, or the one `compareTo` says ("-1w"). */
export function previousRange(range: DateRange, clock: Clock, compareTo?: string): DateRange {
  const shift = compareTo === undefined ? null : COMPARE_TO.exec(compareTo.trim())
  if (compareTo !== undefined && shift === null) {
    throw new InvalidQuery('compare_to is a number and a unit, such as "-1w" or "-30d".', [
      'compareFilter',
      'compare_to',
    ])
  }
  const { interval } = range
  const exactFrom = isShort(interval)
  if (shift !== null) {
    const back = (local: Local) => shiftBack(local, Number(shift[1]), shift[2] as RelativeUnit)
    return rangeBetween(back(range.askedFrom), back(range.askedTo), interval, clock, { exactFrom })
  }
  if (interval === 'day' || isShort(interval)) {
    const [from, to] = previousByLength(range)
    return rangeBetween(from, to, interval, clock, { exactFrom })
  }
  // Longer intervals differ in length: as many of them as the range has, right before it.
  const back = (local: Local) => addIntervals(local, -range.buckets.length, interval)
  return rangeBetween(back(range.askedFrom), back(range.askedTo), interval, clock, { exactFrom })
}

function previousByLength(range: DateRange): [from: Local, to: Local] {
  const length = range.askedTo - range.askedFrom
  if (range.interval === 'minute' || range.interval === 'second') {
    return [range.askedFrom - length - 1, range.askedFrom - 1]
  }
  if (range.interval === 'hour') {
    // On the same hours of the day, because the time of day makes the largest differences.
    const days = Math.ceil((length + 1) / DAY) * DAY
    return [range.askedFrom - days, range.askedTo - days]
  }
  const days = Math.ceil((length + 1) / DAY)
  const wholeWeeks =
    range.relativeFrom?.unit === 'd' && range.relativeFrom.count % 7 === 0 && range.relativeFrom.count > 0
  // "-7d" spans eight days; a week earlier, not eight days, puts weekdays under weekdays.
  const back = (wholeWeeks && range.relativeTo === undefined ? days - 1 : days) * DAY
  return [range.askedFrom - back, range.askedTo - back]
}
