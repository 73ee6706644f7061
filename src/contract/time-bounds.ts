import { z } from 'zod'
import { parseTimestamp } from '../lib/timestamps.ts'

/** Bounds of a list by time, both exclusive, exact to the microsecond: ms since epoch with a fraction. */
const time = z.string().transform((text, context) => {
  const parsed = parseTimestamp(readable(text))
  if (parsed === null)
    context.addIssue({ code: 'custom', message: 'Not a valid time: send ISO 8601, such as 2024-05-01T12:00:00Z.' })
  return parsed ?? 0
})

/**
 * More than six digits are cut, because a bound that is rounded up would pass over an event; a `+` that was not escaped
 * is one.
 */
const readable = (text: string): string =>
  text.replace(/([.,]\d{6})\d+/, '$1').replace(/(:\d{2}(?:[.,]\d+)?) (\d{2}:?\d{2})$/, '$1+$2')

const MICROS_OF_A_SECOND = 1_000_000

export const after = time

/**
 * Tools that read in slices end one a microsecond before the full second (`...59.999999`) and begin the next there.
 * They mean the whole second, and so an event at that very microsecond belongs to the first slice.
 */
export const before = time.transform((ms) => {
  const micros = Math.round(ms * 1000)
  const isLast = (micros + 1) % MICROS_OF_A_SECOND === 0
  return isLast ? (micros + 1) / 1000 : ms
})
