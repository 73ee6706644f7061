/**
 * A queue in which nobody waits behind somebody else's many: lanes take turns, and in a lane the senders do. A lane is whoever has a share
 * (a project, an address, all whose project is not known yet); senders share a lane (addresses of one project).
 *
 * It has at most `most` items, and `mostOfOne` of one sender.
 */
export interface Place {
  readonly lane: string
  readonly sender?: string
}

const NO_LOAD = () => 0

export class FairQueue<T> {
  readonly #most: number
  readonly #mostOfOne: number
  /** Lanes and senders in the order in which they were served last. */
  readonly #lanes = new Map<string, Map<string, T[]>>()
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

  lanes(): IterableIterator<string> {
    return this.#lanes.keys()
  }

  sizeOf({ lane, sender = '' }: Place): number {
    return this.#lanes.get(lane)?.get(sender)?.length ?? 0
  }

  laneSize(lane: string): number {
    return sizeOfLane(this.#lanes.get(lane))
  }

  /** False when the queue, or the sender's part of it, is full. */
  push({ lane, sender = '' }: Place, item: T): boolean {
    if (this.#size >= this.#most) return false
    let senders = this.#lanes.get(lane)
    const waiting = senders?.get(sender)
    if ((waiting?.length ?? 0) >= this.#mostOfOne) return false
    if (!senders) {
      senders = new Map()
      this.#lanes.set(lane, senders)
    }
    if (waiting) waiting.push(item)
    else senders.set(sender, [item])
    this.#size++
    return true
  }

  /**
   * The next item: of the lane with the lowest load, and among equals of the one that was served longest ago. A lane whose load is infinite
   * has to wait.
   */
  shift(loadOf: (lane: string) => number = NO_LOAD): T | undefined {
    const lane = this.#leastLoaded(loadOf)
    const senders = lane === undefined ? undefined : this.#lanes.get(lane)
    if (lane === undefined || !senders) return undefined
    const [sender, waiting] = senders.entries().next().value as [string, T[]]
    const item = waiting.shift()
    senders.delete(sender)
    if (waiting.length > 0) senders.set(sender, waiting)
    this.#lanes.delete(lane)
    if (senders.size > 0) this.#lanes.set(lane, senders)
    this.#size--
    return item
  }

  #leastLoaded(loadOf: (lane: string) => number): string | undefined {
    let best: string | undefined
    let lowest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.keys()) {
      const load = loadOf(lane)
      if (load >= lowest) continue
      best = lane
      lowest = load
      if (load === 0) break
    }
    return best
  }

  /** Takes out an item that waits no longer. False when it is not there any more. */
  remove({ lane, sender = '' }: Place, item: T): boolean {
    const senders = this.#lanes.get(lane)
    const waiting = senders?.get(sender)
    const at = waiting?.indexOf(item) ?? -1
    if (!senders || !waiting || at < 0) return false
    waiting.splice(at, 1)
    this.#forgetEmpty(lane, senders, sender, waiting)
    return true
  }

  /** Takes out the newest of the longest line, to make room for somebody in a shorter lane. Undefined when there is no longer lane. */
  makeRoom(lane: string): T | undefined {
    const [longest, senders] = [...this.#lanes].reduce((a, b) => (sizeOfLane(b[1]) > sizeOfLane(a[1]) ? b : a))
    if (sizeOfLane(senders) <= this.laneSize(lane) + 1) return undefined
    const [sender, waiting] = [...senders].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    const item = waiting.pop()
    this.#forgetEmpty(longest, senders, sender, waiting)
    return item
  }

  takeAll(): T[] {
    const all = [...this.#lanes.values()].flatMap((senders) => [...senders.values()].flat())
    this.#lanes.clear()
    this.#size = 0
    return all
  }

  /** After one item was taken from the middle or the end of a line. */
  #forgetEmpty(lane: string, senders: Map<string, T[]>, sender: string, waiting: readonly T[]): void {
    this.#size--
    if (waiting.length === 0) senders.delete(sender)
    if (senders.size === 0) this.#lanes.delete(lane)
  }
}

function sizeOfLane(senders: Map<string, unknown[]> | undefined): number {
  let size = 0
  for (const waiting of senders?.values() ?? []) size += waiting.length
  return size
}
