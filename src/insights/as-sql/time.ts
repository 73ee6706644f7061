/** Times in SQL that people read: in the project's time zone, as its clock shows them. */
import type { Interval } from '../../contract/queries/index.ts'
import { type Instant, toLocal } from '../../lib/zone.ts'
import type { Clock, DateRange } from '../plan/date-range.ts'

const STARTS: Readonly<Record<Interval, string>> = {
  second: 'toStartOfSecond',
  minute: 'toStartOfMinute',
  hour: 'toStartOfHour',
  day: 'toStartOfDay',
  week: 'toStartOfWeek',
  month: 'toStartOfMonth',
  quarter: 'toStartOfQuarter',
  year: 'toStartOfYear',
}

export const startOf = (interval: Interval, time: string, { weekStart }: Clock): string =>
  `${STARTS[interval]}(${time}${interval === 'week' ? `, ${weekStart}` : ''})`

export const one = (interval: Interval): string => `toInterval${interval[0]?.toUpperCase()}${interval.slice(1)}(1)`

export function moment(at: Instant, { timezone }: Clock): string {
  const text = new Date(toLocal(at, timezone)).toISOString().slice(0, 23).replace('T', ' ')
  return text.endsWith('.000') ? `toDateTime('${text.slice(0, 19)}')` : `toDateTime64('${text}', 3)`
}

export const since = ({ from }: Pick<DateRange, 'from'>, clock: Clock): string => `timestamp >= ${moment(from, clock)}`

/** The range ends with its last millisecond, whole. */
export const until = ({ to }: Pick<DateRange, 'to'>, clock: Clock): string =>
  `timestamp < ${moment(Math.floor(to) + 1, clock)}`

export const within = (range: Pick<DateRange, 'from' | 'to'>, clock: Clock): string[] => [
  since(range, clock),
  until(range, clock),
]
