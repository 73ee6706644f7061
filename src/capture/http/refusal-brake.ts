import { setTimeout as delay } from 'node:timers/promises'
import { SlidingWindow } from '../../http/sliding-window.ts'

/**
 * Slows down clients that repeat bad requests (unknown key, no JSON, too large) without end. An address with very many
 * refusals has to wait for each further one. Waiting holds a connection and nothing else; accepted requests never wait.
 */
export interface BrakeLimits {
  /** Number of refusals of one address within `windowMs` that are answered at once. */
  readonly free: number
  /** The same for bodies that were parsed in a worker thread, which cost more. */
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

  /** Counts a refusal and resolves when it may be answered: true when it had to wait. */
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
