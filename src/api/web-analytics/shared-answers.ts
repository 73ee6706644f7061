import { ApiError } from '../../http/errors.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import { MINUTE } from '../../lib/durations.ts'

const KEPT_FOR_MS = MINUTE
/** Some hundred kB each at most. */
const MOST_KEPT = 200
/** The page asks about a dozen questions, and as many for each filter. */
const CALCULATED_IN_A_MINUTE = 240

/**
 * Answers behind public links. However many visitors a link has, a question is calculated once a minute, and a link
 * has so many different questions a minute: it may stand on a page that the whole world reads.
 */
export class SharedAnswers<A> {
  readonly #kept = new Map<string, { readonly at: number; readonly answer: Promise<A> }>()
  readonly #calculated = new SlidingWindow(CALCULATED_IN_A_MINUTE, MINUTE)

  answer({ link, key, now }: { link: number; key: string; now: number }, calculate: () => Promise<A>): Promise<A> {
    const kept = this.#kept.get(key)
    if (kept && now - kept.at < KEPT_FOR_MS) return kept.answer
    const wait = this.#calculated.waitMs(String(link), now)
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000)
      const words = `This link was asked more than it may be: try again in ${seconds} seconds.`
      throw new ApiError('throttled', words, { retryAfterSeconds: seconds })
    }
    this.#calculated.count(String(link), now)
    const answer = calculate()
    this.#keep(key, { at: now, answer })
    return answer
  }

  #keep(key: string, entry: { readonly at: number; readonly answer: Promise<A> }): void {
    this.#kept.delete(key)
    this.#kept.set(key, entry)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break
      this.#kept.delete(oldest)
    }
    // A failure is told to those who wait for it, and to nobody later.
    entry.answer.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key)
    })
  }
}
