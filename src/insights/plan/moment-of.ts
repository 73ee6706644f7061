import { parseDate } from './parse-date.ts'
import { type Instant, toInstant, toLocal } from './zone.ts'

/** The moment a date of a filter means, relative ("-7d") or absolute, in the project's time zone. */
export function momentOf(
  text: string,
  { timezone, now }: { readonly timezone: string; readonly now: Instant },
): Instant {
  return toInstant(parseDate(text, toLocal(now, timezone), timezone).local, timezone)
}
