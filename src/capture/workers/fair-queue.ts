/**
 * A fair queue: projects take turns, and within a project the senders do, so one sender's many items delay only its own. Requests
 * whose project is not known yet count as one project. A sender is an address.
 */
export interface QueueKey {
  readonly project: string
  readonly sender: string
}

export class FairQueue<T> {
  readonly #projects = new Map<string, Map<string, T[]>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf({ project, sender }: QueueKey): number {
    return this.#projects.get(project)?.get(sender)?.length ?? 0
  }

  projectSize(project: string): number {
    return totalSize(this.#projects.get(project))
  }

  push({ project, sender }: QueueKey, item: T): void {
    const senders = this.#projects.get(project) ?? new Map<string, T[]>()
    this.#projects.set(project, senders)
    const waiting = senders.get(sender)
    if (waiting) waiting.push(item)
    else senders.set(sender, [item])
    this.#size++
  }

  /** The next item of a project that may run. */
  shift(mayRun: (project: string) => boolean = () => true): T | undefined {
    for (const [project, senders] of this.#projects) {
      if (!mayRun(project)) continue
      // Project and sender go to the end after their turn.
      const [sender, waiting] = senders.entries().next().value as [string, T[]]
      const item = waiting.shift()
      senders.delete(sender)
      if (waiting.length > 0) senders.set(sender, waiting)
      this.#projects.delete(project)
      if (senders.size > 0) this.#projects.set(project, senders)
      this.#size--
      return item
    }
    return undefined
  }

  /** Removes the newest item of the project with the most, in favour of one with fewer. Undefined when none has more. */
  evictFor(project: string): T | undefined {
    const [longest, senders] = [...this.#projects].reduce((a, b) => (totalSize(b[1]) > totalSize(a[1]) ? b : a))
    if (totalSize(senders) <= this.projectSize(project) + 1) return undefined
    const [sender, waiting] = [...senders].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    const item = waiting.pop()
    if (waiting.length === 0) senders.delete(sender)
    if (senders.size === 0) this.#projects.delete(longest)
    this.#size--
    return item
  }

  takeAll(): T[] {
    const all = [...this.#projects.values()].flatMap((senders) => [...senders.values()].flat())
    this.#projects.clear()
    this.#size = 0
    return all
  }
}

function totalSize(senders: Map<string, unknown[]> | undefined): number {
  let size = 0
  for (const waiting of senders?.values() ?? []) size += waiting.length
  return size
}
