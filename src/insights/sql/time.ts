/** Time in SQL: the bounds of a range and the bucket of an event, in the project's time zone. */

import type { Interval } from '../../contract/queries/index.ts'
import { type Fragment, moment, sql, str } from '../../engines/clickhouse-sql.ts'
import { type Instant, toLocal } from '../../lib/zone.ts'
import type { WeekStart } from '../plan/interval.ts'
import { isShort } from '../plan/interval.ts'

/** Stored timestamps are exact to the microsecond: the range ends with the last ms, whole. */
export const within = (from: Instant, to: Instant): Fragment =>
  sql`e.timestamp >= ${moment(from)} AND e.timestamp < ${moment(Math.floor(to) + 1)}`

/**
 * The bucket of a moment, whose text `bucketKey` also makes: the day the interval starts on, or, for intervals shorter
 * than a day, which may come twice when clocks go back, the unix time of its start.
 */
export function bucketOf(time: Fragment, interval: Interval, zone: string, weekStart: WeekStart): Fragment {
  const at = str(zone)
  switch (interval) {
    case 'second':
      return sql`toUnixTimestamp(${time})`
    case 'minute':
      return sql`toUnixTimestamp(toStartOfMinute(${time}, ${at}))`
    case 'hour':
      return sql`toUnixTimestamp(toStartOfHour(${time}, ${at}))`
    case 'day':
      return sql`toDate(${time}, ${at})`
    case 'week':
      return weekStart === 1 ? sql`toStartOfWeek(${time}, 1, ${at})` : sql`toStartOfWeek(${time}, 0, ${at})`
    case 'month':
      return sql`toStartOfMonth(${time}, ${at})`
    case 'quarter':
      return sql`toStartOfQuarter(${time}, ${at})`
    case 'year':
      return sql`toStartOfYear(${time}, ${at})`
  }
}

export function bucketKey(start: Instant, interval: Interval, zone: string): string {
  if (isShort(interval)) return String(Math.floor(start / 1000))
  return new Date(toLocal(start, zone)).toISOString().slice(0, 10)
}
