import { setTimeout as delay } from 'node:timers/promises'
import { SlidingWindow } from '../../http/sliding-window.ts'

/**
 * A request that is refused (unknown key, no JSON, too large) has cost something and brought nothing. An address that sends very many of
 * them waits for each further refusal, so that a client which repeats itself without end does not keep everybody busy. Waiting holds
 * nothing but a connection, and what is not refused never waits.
 */
export interface BrakeLimits {
  /** Refusals of one address within `windowMs` that are answered at once. */
  readonly free: number
  /** The same of bodies that were read in a thread, which cost more. */
  readonly freeLarge: number
  readonly windowMs: number
  readonly waitMs: number
}

const BRAKE_LIMITS: BrakeLimits = { free: 500, freeLarge: 20, windowMs: 10_000, waitMs: 1_000 }

export class RefusalBrake {
  readonly #small: SlidingWindow
  readonly #large: SlidingWindow
  readonly #waitMs: number

  constructor(limits: Partial<BrakeLimits> = {}) {
    const { free, freeLarge, windowMs, waitMs } = { ...BRAKE_LIMITS, ...limits }
    this.#small = new SlidingWindow(free, windowMs)
    this.#large = new SlidingWindow(freeLarge, windowMs)
    this.#waitMs = waitMs
  }

  /** Counts a refusal; resolves when it may be answered. True when that took a while. */
  async refused(sender: string | null, large: boolean): Promise<boolean> {
    if (sender === null) return false
    const window = large ? this.#large : this.#small
    const now = Date.now()
    const over = window.waitMs(sender, now) > 0
    if (!over) window.count(sender, now)
    else await delay(this.#waitMs, undefined, { ref: false })
    return over
  }
}
