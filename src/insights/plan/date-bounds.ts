/** What a date in a filter means: from when to when. A date without a time of day is the whole day. */

import { DAY, SECOND } from '../../lib/durations.ts'
import { isDateOnly } from '../../lib/parse-date.ts'
import { type Instant, startOfDay, toInstant } from '../../lib/zone.ts'
import { readDate } from './moment-of.ts'

export type DateOperator = 'is_date_exact' | 'is_date_before' | 'is_date_after'

/** The moments that satisfy the operator: at or after `from`, and before `until`. Null is no bound. */
export function dateBounds(
  operator: DateOperator,
  wanted: string,
  { timezone, now }: { readonly timezone: string; readonly now: Instant },
): { readonly from: Instant | null; readonly until: Instant | null } {
  const { local, relative } = readDate(wanted, { timezone, now }, ['properties'])
  const wholeDay =
    isDateOnly(wanted) || (operator === 'is_date_exact' && relative !== undefined && local === startOfDay(local))
  const start = toInstant(local, timezone)
  const end = wholeDay ? toInstant(local + DAY, timezone) : start + SECOND
  if (operator === 'is_date_before') return { from: null, until: start }
  // Stored times are exact to the millisecond, so after a moment is from the next millisecond on.
  if (operator === 'is_date_after') return { from: wholeDay ? end : start + 1, until: null }
  return { from: start, until: end }
}
