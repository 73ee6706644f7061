/** How long to wait before trying again: twice as long after each failure, between two bounds. */
export interface Backoff {
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * The pause before the next attempt, when `failures` have come before this one. Chance takes up to half of it away, so
 * that those who failed together do not all come back at the same moment.
 */
export function backoffMs(
  failures: number,
  { firstMs, longestMs }: Backoff,
  random: () => number = Math.random,
): number {
  const longest = Math.min(firstMs * 2 ** failures, longestMs)
  return longest * (0.5 + random() / 2)
}
