/** A bounded queue in which those who wait take turns: each has a line of its own, and the lines are served round robin. */
export class FairQueue<T> {
  readonly #most: number
  readonly #mostEach: number
  readonly #lines = new Map<string, T[]>()
  #size = 0

  constructor({ most, mostEach }: { readonly most: number; readonly mostEach: number }) {
    this.#most = most
    this.#mostEach = mostEach
  }

  /** False when there is no place: of this one, or of all. */
  push(who: string, job: T): boolean {
    const line = this.#lines.get(who) ?? []
    if (this.#size >= this.#most || line.length >= this.#mostEach) return false
    line.push(job)
    this.#lines.set(who, line)
    this.#size++
    return true
  }

  /** The next of the line that has waited longest for its turn. */
  shift(): T | undefined {
    for (const [who, line] of this.#lines) {
      const job = line.shift()
      this.#lines.delete(who)
      if (line.length > 0) this.#lines.set(who, line)
      this.#size--
      return job
    }
    return undefined
  }
}
