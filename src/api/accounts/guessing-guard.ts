import { ApiError } from '../../http/errors.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import type { PublicCall } from '../frame/context.ts'

const QUARTER_HOUR = 15 * 60_000

/** Slows down whoever guesses: ten wrong passwords for one e-mail, or fifty from one address, in a quarter of an hour. */
export class GuessingGuard {
  readonly #perEmail = new SlidingWindow(10, QUARTER_HOUR)
  readonly #perAddress = new SlidingWindow(50, QUARTER_HOUR)

  attempt({ now }: Pick<PublicCall, 'now'>, names: readonly string[]): { failed(): void } {
    const at = now().getTime()
    const window = (name: string) => (name.startsWith('email ') ? this.#perEmail : this.#perAddress)
    const wait = Math.max(...names.map((name) => window(name).waitMs(name, at)))
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000)
      throw new ApiError('throttled', `Too many failed attempts. Expected available in ${seconds} seconds.`, {
        retryAfterSeconds: seconds,
      })
    }
    return {
      failed: () => {
        for (const name of names) window(name).count(name, at)
      },
    }
  }
}
