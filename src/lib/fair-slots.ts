import { FairQueue } from './fair-queue.ts'

/**
 * A few slots that many owners (projects) share.
 *
 *   running   an owner has at most `perOwner` slots, so that none can have all of them
 *   waiting   in a queue of its own, of at most `mostWaiting`; a slot that becomes free goes to the owner that runs the
 *             fewest, and among equals to the one that was served longest ago
 *   refused   its queue is full, or it waited longer than `patienceMs`
 */
export type Release = () => void

interface FairSlotsOptions {
  readonly size: number
  readonly perOwner: number
  readonly mostWaiting: number
  readonly patienceMs: number
}

export interface SlotCounts {
  readonly running: number
  readonly waiting: number
  /** How many owners run or wait now. */
  readonly askers: number
  /** Since the start. */
  readonly refused: number
}

/** No slot was free in time: try again later. */
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
  readonly owner: string
  go(release: Release): void
}

export class FairSlots {
  readonly #options: FairSlotsOptions
  readonly #running = new Map<string, number>()
  readonly #waiting = new FairQueue<Waiter>()
  #taken = 0
  #refused = 0

  constructor(options: FairSlotsOptions) {
    this.#options = options
  }

  counts(): SlotCounts {
    const askers = new Set([...this.#running.keys(), ...this.#waiting.owners()]).size
    return { running: this.#taken, waiting: this.#waiting.size, askers, refused: this.#refused }
  }

  /** Resolves with a function that frees the slot. Leaves the queue when the signal aborts first. */
  async take(owner: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    const key = { owner: owner }
    const ahead = this.#waiting.sizeOf(key)
    if (ahead === 0 && this.#isFreeFor(owner)) return this.#give(owner)
    if (ahead >= this.#options.mostWaiting) throw this.#refusal('queue is full', owner, ahead)
    return new Promise<Release>((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const leave = (reason: unknown) => {
        const waiting = this.#waiting.sizeOf(key)
        this.#waiting.remove(key, waiter)
        end(() => reject(reason ?? this.#refusal('waited too long', owner, waiting)))
      }
      const onAbort = () => leave(signal?.reason ?? new Error('aborted'))
      const timer = setTimeout(() => leave(undefined), this.#options.patienceMs)
      const waiter: Waiter = { owner, go: (release) => end(() => resolve(release)) }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(key, waiter)
    })
  }

  #isFreeFor = (owner: string): boolean =>
    this.#taken < this.#options.size && (this.#running.get(owner) ?? 0) < this.#options.perOwner

  #give(owner: string): Release {
    this.#taken++
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
    let given = true
    return () => {
      if (!given) return
      given = false
      this.#taken--
      const left = (this.#running.get(owner) ?? 1) - 1
      if (left === 0) this.#running.delete(owner)
      else this.#running.set(owner, left)
      this.#serveNext()
    }
  }

  #serveNext(): void {
    const load = (owner: string) =>
      this.#isFreeFor(owner) ? (this.#running.get(owner) ?? 0) : Number.POSITIVE_INFINITY
    for (let next = this.#waiting.shift(load); next; next = this.#waiting.shift(load)) next.go(this.#give(next.owner))
  }

  #refusal(reason: NoSlot['reason'], owner: string, waiting: number): NoSlot {
    this.#refused++
    return new NoSlot(reason, { running: this.#running.get(owner) ?? 0, waiting })
  }
}
