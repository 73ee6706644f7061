import { signsInFrom } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import { addressOf, networkOf } from '../frame/client-address.ts'
import type { PublicCall } from '../frame/context.ts'
import { GuessCounts, type GuessLimit, QUARTER_HOUR } from './guess-counts.ts'

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
 * Several processes count together (guess-counts.ts).
 *
 * Links and invitations carry 256 random bits, which nobody guesses. They have a limit of their own (50 from one
 * address and in one process), so that wrong passwords keep nobody from using a link. All addresses of one IPv6 network (/64) count as
 * one.
 */
type Asked = Pick<PublicCall, 'now' | 'sql'> & { readonly request: Parameters<typeof addressOf>[0] }

export interface Attempt {
  /** The password was right: this attempt does not count, nor do earlier ones for this e-mail from here. */
  succeeded(): Promise<void>
  /** Nothing was tried after all. */
  takeBack(): Promise<void>
}

export class GuessingGuard {
  readonly #counts: Pick<GuessCounts, 'count' | 'takeBack' | 'forget'>
  readonly #links = new SlidingWindow(50, QUARTER_HOUR)
  readonly #isKnown: typeof signsInFrom

  constructor(counts: Pick<GuessCounts, 'count' | 'takeBack' | 'forget'> = new GuessCounts(), isKnown = signsInFrom) {
    this.#counts = counts
    this.#isKnown = isKnown
  }

  async password({ now, request, sql }: Asked, typed: string): Promise<Attempt> {
    const at = now().getTime()
    const email = typed.toLowerCase()
    const address = networkOf(addressOf(request))
    const pair: GuessLimit = { name: `pair ${address} ${email}`, most: 10 }
    const limits = [pair, { name: `address ${address}`, most: 50 }, { name: `email ${email}`, most: 100 }]
    const waits = await this.#counts.count(limits, at)
    const takeBack = () =>
      this.#counts.takeBack(
        limits.filter((_, which) => waits[which] === 0),
        at,
      )
    const [own = 0, ...shared] = waits
    const wait = own > 0 ? own : Math.max(...shared)
    if (wait > 0 && (own > 0 || !(await this.#isKnown(sql, email, address)))) {
      await takeBack()
      throw tooMany(wait)
    }
    return {
      takeBack,
      succeeded: async () => {
        await takeBack()
        await this.#counts.forget(pair)
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
