import type { Caller } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import type { AnyEndpoint } from './endpoint.ts'

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

/** Limits for scripts, when the operator switched them on. People in a browser are not limited, nor is capture. */
export class RateLimits {
  readonly #windows = Object.fromEntries(
    Object.entries(RATES).map(([name, rates]) => [
      name,
      rates.map(([limit, windowMs]) => new SlidingWindow(limit, windowMs)),
    ]),
  ) as Record<keyof typeof RATES, SlidingWindow[]>

  /** Counts the request, or refuses it. A refused request does not count. */
  admit({ key }: Caller, { rate }: Pick<AnyEndpoint, 'rate'>, path: string, now: number): void {
    if (key === null) return
    const windows = this.#windows[rate ?? usualRate(path)]
    const wait = Math.max(...windows.map((window) => window.waitMs(key.id, now)))
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000)
      throw new ApiError('throttled', `Request was throttled. Expected available in ${seconds} seconds.`, {
        retryAfterSeconds: seconds,
      })
    }
    for (const window of windows) window.count(key.id, now)
  }
}

/** What reads many events for an answer is heavy, unless it says otherwise. */
const usualRate = (path: string): keyof typeof RATES =>
  /\/(insights|events|session_recordings|session_recording_playlists)\b/.test(path) ? 'heavy' : 'ordinary'
