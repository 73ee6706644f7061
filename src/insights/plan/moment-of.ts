import { DAY } from '../../lib/durations.ts'
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'
import { isDateOnly, notADate, type ParsedDate, parseDate } from '../../lib/parse-date.ts'
import { type Instant, toInstant, toLocal } from '../../lib/zone.ts'

interface When {
  readonly timezone: string
  readonly now: Instant
}

/**
 * The moment a date of a filter means, relative ("-7d") or absolute, in the project's time zone. `path` is where it was
 * sent.
 */
export const momentOf = (text: string, when: When, path: Path = []): Instant =>
  toInstant(readDate(text, when, path).local, when.timezone)

/** The date a text says. Texts were looked at where they came in; one that was not is refused here. */
export function readDate(text: string, { timezone, now }: When, path: Path = []): ParsedDate {
  const parsed = parseDate(text, toLocal(now, timezone), timezone)
  if (parsed === undefined) throw new InvalidQuery(notADate(text), path)
  return parsed
}

/**
 * Refuses a range that ends before it begins. `names` are those of its two ends in the request; a day as the end is all
 * of it.
 */
export function refuseCrossed(
  from: string | null | undefined,
  to: string | null | undefined,
  when: When,
  names: readonly [from: string, to: string] = ['date_from', 'date_to'],
): void {
  if (!from || !to || from === 'all') return
  const end = momentOf(to, when, [names[1]]) + (isDateOnly(to) ? DAY - 1 : 0)
  if (momentOf(from, when, [names[0]]) <= end) return
  const [first, last] = names
  throw new InvalidQuery(
    `${last} ${JSON.stringify(to)} lies before ${first} ${JSON.stringify(from)}: send an earlier ${first} or a later ${last}.`,
    [last],
  )
}
