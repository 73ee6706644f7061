/**
 * Allows at most `limit` in any `windowMs`, for each key, in memory. It stores times and not buckets, so a burst at the
 * edge of two windows does not exceed the limit. It remembers a bounded number of keys: of more, those that were counted
 * longest ago are forgotten.
 */
export class SlidingWindow {
  readonly #limit: number
  readonly #windowMs: number
  readonly #moments = new Map<string, number[]>()

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /** How many ms until one more is allowed; 0 when it is now. */
  waitMs(key: string, now: number): number {
    const moments = this.#recent(key, now)
    if (moments.length < this.#limit) return 0
    return Math.max(1, (moments[moments.length - this.#limit] as number) + this.#windowMs - now)
  }

  count(key: string, now: number): void {
    const moments = this.#recent(key, now)
    moments.push(now)
    // The keys stand in the order in which they were counted last.
    this.#moments.delete(key)
    this.#moments.set(key, moments)
    if (this.#moments.size > MOST_KEYS) this.#forget(now)
  }

  /** Takes back what was counted at this time. */
  takeBack(key: string, moment: number): void {
    const moments = this.#moments.get(key)
    const at = moments?.lastIndexOf(moment) ?? -1
    if (moments && at >= 0) moments.splice(at, 1)
    if (moments?.length === 0) this.#moments.delete(key)
  }

  get size(): number {
    return this.#moments.size
  }

  forget(key: string): void {
    this.#moments.delete(key)
  }

  #recent(key: string, now: number): number[] {
    const moments = this.#moments.get(key) ?? []
    const first = moments.findIndex((moment) => moment > now - this.#windowMs)
    if (first > 0) moments.splice(0, first)
    else if (first < 0) moments.length = 0
    return moments
  }

  /**
   * Removes what was not counted for a whole window, and at least a tenth of the keys: then the next tenth costs
   * nothing, also when each request comes from another address.
   */
  #forget(now: number): void {
    for (const [key, moments] of this.#moments) {
      if (this.#moments.size <= KEPT_KEYS && (moments.at(-1) ?? 0) > now - this.#windowMs) break
      this.#moments.delete(key)
    }
  }
}

const MOST_KEYS = 20_000
const KEPT_KEYS = 18_000
