import { number } from '../../../lib/format.ts'

/**
 * The share of people with something who converted (or dropped off), compared with people without it: "times as
 * likely".
 */
export interface Likelihood {
  /** Shares, 0 to 1; null when there is nobody. */
  readonly withIt: number | null
  readonly without: number | null
  /** The first divided by the second; null when the second is zero or unknown. */
  readonly times: number | null
}

export interface Outcomes {
  readonly success: number
  readonly failure: number
}

export function likelihood(ofThem: Outcomes, ofAll: Outcomes, outcome: keyof Outcomes): Likelihood {
  const others = { success: ofAll.success - ofThem.success, failure: ofAll.failure - ofThem.failure }
  const withIt = shareOf(ofThem, outcome)
  const without = shareOf(others, outcome)
  return { withIt, without, times: withIt !== null && without ? withIt / without : null }
}

const shareOf = (counts: Outcomes, outcome: keyof Outcomes): number | null => {
  const all = counts.success + counts.failure
  return all > 0 ? counts[outcome] / all : null
}

const MOST_TOLD = 100

/** "2.4× as likely", as exactly as a reader can use it. */
export function howLikely(times: number): string {
  if (times > MOST_TOLD) return `more than ${MOST_TOLD}× as likely`
  const rounded = Math.round(times * 10) / 10
  // Near one, the second digit is what tells.
  const told = rounded === 1 ? Math.round(times * 100) / 100 : rounded
  return told === 1 ? 'about as likely' : `${number(told)}× as likely`
}
