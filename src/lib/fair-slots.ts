/**
 * A few slots that many askers share.
 *
 *   running   an asker holds at most `perAsker` slots, so that none can hold them all
 *   waiting   in a queue of its own, of at most `mostWaiting`; a slot that becomes free goes to the asker that runs the fewest, and among
 *             equals to the one that was served longest ago
 *   refused   its queue is full, or it waited longer than `patienceMs`
 */
export type Release = () => void

interface FairSlotsOptions {
  readonly size: number
  readonly perAsker: number
  readonly mostWaiting: number
  readonly patienceMs: number
}

export interface SlotCounts {
  readonly running: number
  readonly waiting: number
  /** How many askers run or wait now. */
  readonly askers: number
  /** Since the start. */
  readonly refused: number
}

/** The asker has to come back later. */
export class NoSlot extends Error {
  override name = 'NoSlot'
  readonly reason: 'queue is full' | 'waited too long'
  readonly running: number
  readonly waiting: number

  constructor(reason: NoSlot['reason'], { running, waiting }: { running: number; waiting: number }) {
    super(`${reason}: ${running} running, ${waiting} waiting`)
    this.reason = reason
    this.running = running
    this.waiting = waiting
  }
}

interface Waiter {
  go(release: Release): void
}

export class FairSlots {
  readonly #options: FairSlotsOptions
  readonly #running = new Map<string, number>()
  /** In the order in which askers were served last. */
  readonly #waiting = new Map<string, Waiter[]>()
  #taken = 0
  #refused = 0

  constructor(options: FairSlotsOptions) {
    this.#options = options
  }

  counts(): SlotCounts {
    let waiting = 0
    for (const queue of this.#waiting.values()) waiting += queue.length
    const askers = new Set([...this.#running.keys(), ...this.#waiting.keys()]).size
    return { running: this.#taken, waiting, askers, refused: this.#refused }
  }

  /** Resolves with what gives the slot back. Leaves the queue when the signal aborts first. */
  async take(asker: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    const queue = this.#waiting.get(asker) ?? []
    if (queue.length === 0 && this.#isFreeFor(asker)) return this.#give(asker)
    if (queue.length >= this.#options.mostWaiting) throw this.#refusal('queue is full', asker, queue.length)
    this.#waiting.set(asker, queue)
    return new Promise<Release>((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const leave = (reason: unknown) => {
        const waiting = queue.length
        queue.splice(queue.indexOf(waiter), 1)
        if (queue.length === 0 && this.#waiting.get(asker) === queue) this.#waiting.delete(asker)
        end(() => reject(reason ?? this.#refusal('waited too long', asker, waiting)))
      }
      const onAbort = () => leave(signal?.reason ?? new Error('aborted'))
      const timer = setTimeout(() => leave(undefined), this.#options.patienceMs)
      const waiter: Waiter = { go: (release) => end(() => resolve(release)) }
      signal?.addEventListener('abort', onAbort, { once: true })
      queue.push(waiter)
    })
  }

  #isFreeFor = (asker: string): boolean =>
    this.#taken < this.#options.size && (this.#running.get(asker) ?? 0) < this.#options.perAsker

  #give(asker: string): Release {
    this.#taken++
    this.#running.set(asker, (this.#running.get(asker) ?? 0) + 1)
    let given = true
    return () => {
      if (!given) return
      given = false
      this.#taken--
      const left = (this.#running.get(asker) ?? 1) - 1
      if (left === 0) this.#running.delete(asker)
      else this.#running.set(asker, left)
      this.#serveNext()
    }
  }

  #serveNext(): void {
    for (let asker = this.#nextAsker(); asker !== undefined; asker = this.#nextAsker()) {
      const queue = this.#waiting.get(asker) ?? []
      const next = queue.shift()
      this.#waiting.delete(asker)
      if (queue.length > 0) this.#waiting.set(asker, queue)
      next?.go(this.#give(asker))
    }
  }

  #nextAsker(): string | undefined {
    let best: string | undefined
    for (const asker of this.#waiting.keys()) {
      if (!this.#isFreeFor(asker)) continue
      if (best === undefined || (this.#running.get(asker) ?? 0) < (this.#running.get(best) ?? 0)) best = asker
    }
    return best
  }

  #refusal(reason: NoSlot['reason'], asker: string, waiting: number): NoSlot {
    this.#refused++
    return new NoSlot(reason, { running: this.#running.get(asker) ?? 0, waiting })
  }
}
