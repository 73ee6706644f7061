/**
 * A fair queue: owners take turns, and within an owner the senders do, so one sender's many items delay only its own.
 * An owner is a project, an address, or all requests whose project is not known yet; senders are the addresses of one
 * project.
 *
 * It has at most `most` items, and `mostOfOne` of one sender.
 */
export interface QueueKey {
  readonly owner: string
  readonly sender?: string
}

const NO_LOAD = () => 0

export class FairQueue<T> {
  readonly #most: number
  readonly #mostOfOne: number
  /** Owners and senders in the order in which they were served last. */
  readonly #owners = new Map<string, Map<string, T[]>>()
  #size = 0

  constructor({
    most = Number.POSITIVE_INFINITY,
    mostOfOne = Number.POSITIVE_INFINITY,
  }: { readonly most?: number; readonly mostOfOne?: number } = {}) {
    this.#most = most
    this.#mostOfOne = mostOfOne
  }

  get size(): number {
    return this.#size
  }

  owners(): IterableIterator<string> {
    return this.#owners.keys()
  }

  sizeOf({ owner, sender = '' }: QueueKey): number {
    return this.#owners.get(owner)?.get(sender)?.length ?? 0
  }

  ownerSize(owner: string): number {
    return totalSize(this.#owners.get(owner))
  }

  /** False when the queue, or the sender's part of it, is full. */
  push({ owner, sender = '' }: QueueKey, item: T): boolean {
    if (this.#size >= this.#most) return false
    let senders = this.#owners.get(owner)
    const waiting = senders?.get(sender)
    if ((waiting?.length ?? 0) >= this.#mostOfOne) return false
    if (!senders) {
      senders = new Map()
      this.#owners.set(owner, senders)
    }
    if (waiting) waiting.push(item)
    else senders.set(sender, [item])
    this.#size++
    return true
  }

  /**
   * The next item: of the owner with the lowest load, and among equals of the one that was served longest ago. An owner
   * with infinite load has to wait.
   */
  shift(loadOf: (owner: string) => number = NO_LOAD): T | undefined {
    const owner = this.#leastLoaded(loadOf)
    const senders = owner === undefined ? undefined : this.#owners.get(owner)
    if (owner === undefined || !senders) return undefined
    const [sender, waiting] = senders.entries().next().value as [string, T[]]
    const item = waiting.shift()
    senders.delete(sender)
    if (waiting.length > 0) senders.set(sender, waiting)
    this.#owners.delete(owner)
    if (senders.size > 0) this.#owners.set(owner, senders)
    this.#size--
    return item
  }

  #leastLoaded(loadOf: (owner: string) => number): string | undefined {
    let best: string | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const owner of this.#owners.keys()) {
      const load = loadOf(owner)
      if (load >= lowest) continue
      best = owner
      lowest = load
      if (load === 0) break
    }
    return best
  }

  /** Removes an item that no longer waits. False when it is not in the queue any more. */
  remove({ owner, sender = '' }: QueueKey, item: T): boolean {
    const senders = this.#owners.get(owner)
    const waiting = senders?.get(sender)
    const at = waiting?.indexOf(item) ?? -1
    if (!senders || !waiting || at < 0) return false
    waiting.splice(at, 1)
    this.#forgetEmpty(owner, senders, sender, waiting)
    return true
  }

  /**
   * Removes the newest item of the owner with the most, in favour of one with fewer. Undefined when no owner has more.
   */
  evictFor(owner: string): T | undefined {
    const [longest, senders] = [...this.#owners].reduce((a, b) => (totalSize(b[1]) > totalSize(a[1]) ? b : a))
    if (totalSize(senders) <= this.ownerSize(owner) + 1) return undefined
    const [sender, waiting] = [...senders].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    const item = waiting.pop()
    this.#forgetEmpty(longest, senders, sender, waiting)
    return item
  }

  takeAll(): T[] {
    const all = [...this.#owners.values()].flatMap((senders) => [...senders.values()].flat())
    this.#owners.clear()
    this.#size = 0
    return all
  }

  /** After one item was taken from the middle or the end of a sender's items. */
  #forgetEmpty(owner: string, senders: Map<string, T[]>, sender: string, waiting: readonly T[]): void {
    this.#size--
    if (waiting.length === 0) senders.delete(sender)
    if (senders.size === 0) this.#owners.delete(owner)
  }
}

function totalSize(senders: Map<string, unknown[]> | undefined): number {
  let size = 0
  for (const waiting of senders?.values() ?? []) size += waiting.length
  return size
}
