/**
 * Questions for flags with long texts in them take turns: each may cost as much as a thousand others, on the thread that
 * answers everybody. One is answered at a time, and then the thread is left to others for four times as long as it
 * took. Addresses take turns too.
 */
import { FairQueue } from '../../lib/fair-queue.ts'

/** Questions of SDKs are some hundred to some thousand characters long. */
export const LARGE_QUESTION = 16 * 1024
const REST = 4
const LONGEST_REST_MS = 1000

export class LargeQuestions {
  readonly #waiting = new FairQueue<() => void>({ most: 50, mostOfOne: 10 })
  #busy = false

  /** Undefined when too many wait. */
  run<T>(sender: string | null, answer: () => T | Promise<T>): Promise<T> | undefined {
    let start = () => {}
    const turn = new Promise<void>((resolve) => {
      start = resolve
    })
    if (!this.#waiting.push({ owner: sender ?? '' }, start)) return undefined
    this.#next()
    return turn.then(() => this.#answered(answer))
  }

  async #answered<T>(answer: () => T | Promise<T>): Promise<T> {
    const began = performance.now()
    try {
      return await answer()
    } finally {
      const rest = Math.min(LONGEST_REST_MS, (performance.now() - began) * REST)
      setTimeout(() => {
        this.#busy = false
        this.#next()
      }, rest)
    }
  }

  #next(): void {
    if (this.#busy) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#busy = true
    next()
  }
}
