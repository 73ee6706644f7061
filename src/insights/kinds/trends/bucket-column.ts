import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import type { DateRange } from '../../plan/date-range.ts'
import { bucketOf } from '../../sql/time.ts'
import type { TrendsPlan } from './plan.ts'

/** The bucket of an event; one for the whole range when a single number is asked for. */
export function bucketColumn(plan: TrendsPlan, range: DateRange, time: Fragment = sql`e.timestamp`): Fragment {
  if (plan.totalValue) return sql`''`
  return bucketOf(time, range.interval, plan.clock.timezone, plan.clock.weekStart)
}
