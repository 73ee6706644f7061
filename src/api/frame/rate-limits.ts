import { z } from 'zod'
import type { Caller } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import { SumsByName } from '../../lib/sums-by-name.ts'
import type { AnyEndpoint } from './endpoint.ts'
import type { OtherProcesses } from './other-processes.ts'

/** How often one key may ask: endpoints that name no rate of their own share the first. */
const RATES = {
  ordinary: [
    [480, MINUTE],
    [4_800, HOUR],
  ],
  person: [
    [180, MINUTE],
    [1_200, HOUR],
  ],
  heavy: [
    [240, MINUTE],
    [1_200, HOUR],
  ],
  sql: [[120, HOUR]],
} as const satisfies Record<string, readonly (readonly [limit: number, windowMs: number])[]>

type Rate = keyof typeof RATES

/** How often other processes are told what was counted here, and how many keys are in one message. */
const TELL_AFTER_MS = 250
const KEYS_IN_A_MESSAGE = 100
const rateSchema = z.custom<Rate>((name) => typeof name === 'string' && Object.hasOwn(RATES, name))
const countsSchema = z.array(z.tuple([rateSchema, z.string(), z.int().positive().max(10_000)]))

/**
 * Limits for scripts, when the operator switched them on. People in a browser are not limited, nor is capture.
 *
 * Several processes share a key's limit: each counts in its own memory, tells the others a moment later what it has
 * counted, and counts what it hears of them. So a key may pass a limit by what it sends within that moment, and a
 * process that has just started does not know what was before.
 */
export class RateLimits {
  readonly #windows = Object.fromEntries(
    Object.entries(RATES).map(([name, rates]) => [
      name,
      rates.map(([limit, windowMs]) => new SlidingWindow(limit, windowMs)),
    ]),
  ) as Record<Rate, SlidingWindow[]>
  /** By rate and key, with a space between. */
  #untold = new SumsByName<string>()
  #others: OtherProcesses | null = null
  #telling = false

  async shareWith(others: OtherProcesses): Promise<void> {
    await others.hear('rate_counts', countsSchema, (counts) => {
      const now = Date.now()
      for (const [rate, key, count] of counts)
        for (const window of this.#windows[rate]) for (let n = 0; n < count; n++) window.count(key, now)
    })
    this.#others = others
  }

  /** Counts the request, or refuses it. A refused request does not count. */
  admit({ key }: Caller, { rate }: Pick<AnyEndpoint, 'rate'>, path: string, now: number): void {
    if (key === null) return
    const name = rate ?? usualRate(path)
    const windows = this.#windows[name]
    const wait = Math.max(...windows.map((window) => window.waitMs(key.id, now)))
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000)
      throw new ApiError('throttled', `Request was throttled. Expected available in ${seconds} seconds.`, {
        retryAfterSeconds: seconds,
      })
    }
    for (const window of windows) window.count(key.id, now)
    if (this.#others === null) return
    this.#untold.add(`${name} ${key.id}`, 1)
    if (this.#telling) return
    this.#telling = true
    setTimeout(() => this.#tell(), TELL_AFTER_MS).unref()
  }

  #tell(): void {
    this.#telling = false
    const untold = this.#untold
    this.#untold = new SumsByName()
    const counts = [...untold.names()].map((name) => [...name.split(' '), untold.of(name)])
    // A message that is lost lets some more requests pass.
    for (let at = 0; at < counts.length; at += KEYS_IN_A_MESSAGE)
      this.#others?.tell('rate_counts', counts.slice(at, at + KEYS_IN_A_MESSAGE)).catch(() => {})
  }
}

/** What reads many events for an answer is heavy, unless it says otherwise. */
const usualRate = (path: string): Rate =>
  /\/(insights|events|session_recordings|session_recording_playlists)\b/.test(path) ? 'heavy' : 'ordinary'
