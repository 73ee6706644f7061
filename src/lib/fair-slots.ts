import { FairQueue } from './fair-queue.ts'
import { SumsByName } from './sums-by-name.ts'

/**
 * A few slots that many owners (projects) share. An owner may belong to a group (an organisation), whose name stands
 * before a slash in its own: `organization-1/project-2`. An owner without one is a group of its own.
 *
 *   running   an owner has at most `perOwner` slots and a group at most `perGroup`, so that none can have all of them
 *   waiting   in a queue of its own, of at most `mostWaiting`; a slot that becomes free goes to the group that runs the
 *             fewest, in it to the owner that runs the fewest, and among equals to the one that was served longest ago
 *   refused   its queue is full, or it waited longer than `patienceMs`
 */
export type Release = () => void

interface FairSlotsOptions {
  readonly size: number
  readonly perOwner: number
  readonly perGroup: number
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
  readonly #byOwner = new SumsByName<string>()
  readonly #byGroup = new SumsByName<string>()
  readonly #waiting = new FairQueue<Waiter>()
  #taken = 0
  #refused = 0

  constructor(options: FairSlotsOptions) {
    this.#options = options
  }

  counts(): SlotCounts {
    const askers = new Set([...this.#byOwner.names(), ...this.#waiting.owners()]).size
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
    this.#taken < this.#options.size &&
    this.#byOwner.of(owner) < this.#options.perOwner &&
    this.#byGroup.of(groupOf(owner)) < this.#options.perGroup

  #give(owner: string): Release {
    this.#count(owner, 1)
    let given = true
    return () => {
      if (!given) return
      given = false
      this.#count(owner, -1)
      this.#serveNext()
    }
  }

  #count(owner: string, more: number): void {
    this.#taken += more
    this.#byOwner.add(owner, more)
    this.#byGroup.add(groupOf(owner), more)
  }

  #serveNext(): void {
    // What the group runs comes first: an owner runs less than `size`.
    const load = (owner: string) =>
      this.#isFreeFor(owner)
        ? this.#byGroup.of(groupOf(owner)) * this.#options.size + this.#byOwner.of(owner)
        : Number.POSITIVE_INFINITY
    for (let next = this.#waiting.shift(load); next; next = this.#waiting.shift(load)) next.go(this.#give(next.owner))
  }

  #refusal(reason: NoSlot['reason'], owner: string, waiting: number): NoSlot {
    this.#refused++
    return new NoSlot(reason, { running: this.#byOwner.of(owner), waiting })
  }
}

const groupOf = (owner: string): string => owner.split('/', 1)[0] ?? owner
