/** How many of those with something ended one way, beside how many of those without it: what "times as likely" means. */
export interface Likelihood {
  /** Shares, 0 to 1; null when there is nobody. */
  readonly withIt: number | null
  readonly without: number | null
  /** The first over the second; null when nobody without it ended so, or there is nobody without it. */
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
