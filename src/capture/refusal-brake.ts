import { setTimeout as delay } from 'node:timers/promises'
import { SlidingWindow } from '../http/sliding-window.ts'

/**
 * A large body that is refused (unknown key, no JSON, too large) has cost much and brought nothing. An address that sends many of them
 * waits for each further answer, so that a client which repeats itself without end does not keep everybody busy. Waiting holds nothing
 * but a connection.
 */
export class RefusalBrake {
  readonly #refusals: SlidingWindow
  readonly #waitMs: number

  constructor({ free = 20, windowMs = 10_000, waitMs = 1_000 } = {}) {
    this.#refusals = new SlidingWindow(free, windowMs)
    this.#waitMs = waitMs
  }

  /** Counts a refusal; resolves when it may be answered. True when that took a while. */
  async refused(sender: string | null): Promise<boolean> {
    if (sender === null) return false
    const now = Date.now()
    const over = this.#refusals.waitMs(sender, now) > 0
    if (!over) this.#refusals.count(sender, now)
    else await delay(this.#waitMs, undefined, { ref: false })
    return over
  }
}
