import { signsInFrom } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import { MINUTE } from '../../lib/durations.ts'
import { addressOf, networkOf } from '../frame/client-address.ts'
import type { PublicCall } from '../frame/context.ts'

/**
 * How often passwords may be tried. An attempt counts when it arrives, before anything is hashed: attempts made at the
 * same time count like attempts made one after the other. The right password takes its own attempt back.
 *
 * In a quarter of an hour there are
 *    10 attempts for one e-mail from one address,
 *    50 attempts from one address, whatever the e-mail,
 *   100 attempts for one e-mail, from all addresses together.
 *
 * The second and third limit do not hold for an address from which this very user signed in in the last 30 days. So
 * whoever guesses from elsewhere, or guesses other e-mails behind the same proxy, does not lock the user out; the first
 * limit still holds there.
 *
 * Links and invitations carry 256 random bits, which nobody guesses. They have a limit of their own (50 from one
 * address), so that wrong passwords keep nobody from using a link. All addresses of one IPv6 network (/64) count as
 * one.
 */
const QUARTER_HOUR = 15 * MINUTE

type Asked = Pick<PublicCall, 'now' | 'sql'> & { readonly request: Parameters<typeof addressOf>[0] }

export interface Attempt {
  /** The password was right: this attempt does not count, nor do earlier ones for this e-mail from here. */
  succeeded(): void
  /** Nothing was tried after all. */
  takeBack(): void
}

export class GuessingGuard {
  readonly #pairs = new SlidingWindow(10, QUARTER_HOUR)
  readonly #addresses = new SlidingWindow(50, QUARTER_HOUR)
  readonly #emails = new SlidingWindow(100, QUARTER_HOUR)
  readonly #links = new SlidingWindow(50, QUARTER_HOUR)
  readonly #isKnown: typeof signsInFrom

  constructor(isKnown = signsInFrom) {
    this.#isKnown = isKnown
  }

  async password({ now, request, sql }: Asked, typed: string): Promise<Attempt> {
    const at = now().getTime()
    const email = typed.toLowerCase()
    const address = networkOf(addressOf(request))
    const pair = `${address} ${email}`
    const own = this.#pairs.waitMs(pair, at)
    if (own > 0) throw tooMany(own)
    const shared = Math.max(this.#addresses.waitMs(address, at), this.#emails.waitMs(email, at))
    // Before anything is awaited, or others would pass meanwhile.
    this.#pairs.count(pair, at)
    this.#addresses.count(address, at)
    this.#emails.count(email, at)
    const takeBack = () => {
      this.#pairs.takeBack(pair, at)
      this.#addresses.takeBack(address, at)
      this.#emails.takeBack(email, at)
    }
    if (shared > 0 && !(await this.#isKnown(sql, email, address))) {
      takeBack()
      throw tooMany(shared)
    }
    return {
      takeBack,
      succeeded: () => {
        takeBack()
        this.#pairs.forget(pair)
      },
    }
  }

  /** A secret that was not typed but followed: only wrong ones count, and they are few. */
  link({ now, request }: Asked): { failed(): void } {
    const at = now().getTime()
    const address = networkOf(addressOf(request))
    const wait = this.#links.waitMs(address, at)
    if (wait > 0) throw tooMany(wait)
    return { failed: () => this.#links.count(address, at) }
  }
}

function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ApiError('throttled', `Too many failed attempts. Expected available in ${seconds} seconds.`, {
    retryAfterSeconds: seconds,
  })
}
