/**
 * A queue in which nobody waits behind somebody else's many: lanes take turns, and in a lane the senders do. A lane is a project, or all
 * requests whose project is not known yet; a sender is an address.
 */
export interface Place {
  readonly lane: string
  readonly sender: string
}

export class FairQueue<T> {
  readonly #lanes = new Map<string, Map<string, T[]>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf({ lane, sender }: Place): number {
    return this.#lanes.get(lane)?.get(sender)?.length ?? 0
  }

  laneSize(lane: string): number {
    return sizeOfLane(this.#lanes.get(lane))
  }

  push({ lane, sender }: Place, item: T): void {
    const senders = this.#lanes.get(lane) ?? new Map<string, T[]>()
    this.#lanes.set(lane, senders)
    const waiting = senders.get(sender)
    if (waiting) waiting.push(item)
    else senders.set(sender, [item])
    this.#size++
  }

  /** The next one, of a lane that may go. */
  shift(mayGo: (lane: string) => boolean = () => true): T | undefined {
    for (const [lane, senders] of this.#lanes) {
      if (!mayGo(lane)) continue
      // Who has had a turn goes to the end of the line.
      const [sender, waiting] = senders.entries().next().value as [string, T[]]
      const item = waiting.shift()
      senders.delete(sender)
      if (waiting.length > 0) senders.set(sender, waiting)
      this.#lanes.delete(lane)
      if (senders.size > 0) this.#lanes.set(lane, senders)
      this.#size--
      return item
    }
    return undefined
  }

  /** Takes out the newest of the longest line, to make room for somebody in a shorter lane. Undefined when there is no longer lane. */
  makeRoom(lane: string): T | undefined {
    const [longest, senders] = [...this.#lanes].reduce((a, b) => (sizeOfLane(b[1]) > sizeOfLane(a[1]) ? b : a))
    if (sizeOfLane(senders) <= this.laneSize(lane) + 1) return undefined
    const [sender, waiting] = [...senders].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    const item = waiting.pop()
    if (waiting.length === 0) senders.delete(sender)
    if (senders.size === 0) this.#lanes.delete(longest)
    this.#size--
    return item
  }

  takeAll(): T[] {
    const all = [...this.#lanes.values()].flatMap((senders) => [...senders.values()].flat())
    this.#lanes.clear()
    this.#size = 0
    return all
  }
}

function sizeOfLane(senders: Map<string, unknown[]> | undefined): number {
  let size = 0
  for (const waiting of senders?.values() ?? []) size += waiting.length
  return size
}
