/** Longer than an election takes. */
const LOST_AFTER_MS = 15_000

/**
 * Tells what is lost from what is not there yet: while leaders change, the next one may be behind the last. Of several
 * lost in a row only the first is waited for.
 */
export class Missing {
  readonly #lostAfterMs: number
  #since = 0
  #askedAt: number | null = null

  constructor(lostAfterMs = LOST_AFTER_MS) {
    this.#lostAfterMs = lostAfterMs
  }

  /** The next one is not there: whether it counts as lost. */
  isLost(now = Date.now()): boolean {
    // Long after the last one that was missing, this one has nothing to do with it.
    if (this.#askedAt === null || now - this.#askedAt > this.#lostAfterMs) this.#since = now
    this.#askedAt = now
    return now - this.#since >= this.#lostAfterMs
  }

  found(): void {
    this.#askedAt = null
  }
}
