/** How long a try may take, in µs. A month is a month of the calendar, in the project's time zone. */
import { type Fragment, sql, str } from '../../../engines/clickhouse-sql.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../../lib/durations.ts'
import { whole } from '../../sql/whole.ts'
import type { FunnelPlan } from './plan.ts'

/** The time of a step that was not reached: later than all others. */
const NEVER = Number.MAX_SAFE_INTEGER
export const never = sql`toInt64(${whole(NEVER)})`

const LENGTH = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY }

/** The last moment that still belongs to the window that opened at `time`. */
export function windowEnd({ window, clock }: Pick<FunnelPlan, 'window' | 'clock'>, time: Fragment): Fragment {
  const { unit, count } = window
  if (unit === 'month') {
    const opened = sql`fromUnixTimestamp64Micro(${time}, ${str(clock.timezone)})`
    return sql`toInt64(toUnixTimestamp64Micro(addMonths(${opened}, ${whole(Math.round(count))})))`
  }
  const length = Math.min(Math.round(count * LENGTH[unit] * 1000), NEVER / 2)
  return sql`least(${time} + ${whole(Math.floor(length))}, ${whole(NEVER - 1)})`
}
