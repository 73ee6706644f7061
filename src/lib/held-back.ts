import { HOUR, MINUTE } from './durations.ts'

/**
 * Who was slowed down or refused to protect others: a network address, a project, or neither when that is not known
 * yet.
 */
export interface Client {
  readonly address?: string | null | undefined
  readonly project?: number | null | undefined
}

export interface HeldBackEntry {
  readonly reason: string
  readonly address: string | null
  readonly project: number | null
  /** In the last hour, to the accuracy of a slice of ten minutes. */
  readonly count: number
  readonly last_at: Date
}

const SLICE = 10 * MINUTE
const SLICES = HOUR / SLICE
/** Different clients that are remembered for one slice; an attacker with more addresses is counted as unknown. */
const MOST_CLIENTS = 500

/** Counts the clients that were held back in the last hour. Its memory is bounded, whoever attacks. */
export class HeldBack {
  /** The slices of the hour, the newest last. */
  #slices: { readonly began: number; readonly entries: Map<string, HeldBackEntry> }[] = []
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  count(reason: string, { address = null, project = null }: Client): void {
    const entries = this.#current()
    const named = JSON.stringify([reason, address, project])
    const isKnown = entries.has(named) || entries.size < MOST_CLIENTS
    const key = isKnown ? named : JSON.stringify([reason, null, null])
    const client = isKnown ? { address, project } : { address: null, project: null }
    const count = (entries.get(key)?.count ?? 0) + 1
    entries.set(key, { reason, ...client, count, last_at: new Date(this.#now()) })
  }

  /** Those with the highest counts, the highest first. */
  top(most: number): HeldBackEntry[] {
    const sums = new Map<string, HeldBackEntry>()
    for (const { entries } of this.#recent())
      for (const [key, entry] of entries) sums.set(key, { ...entry, count: entry.count + (sums.get(key)?.count ?? 0) })
    return [...sums.values()].sort((a, b) => b.count - a.count).slice(0, most)
  }

  #recent() {
    const since = this.#now() - SLICES * SLICE
    this.#slices = this.#slices.filter(({ began }) => began > since)
    return this.#slices
  }

  #current(): Map<string, HeldBackEntry> {
    const newest = this.#recent().at(-1)
    if (newest && this.#now() - newest.began < SLICE) return newest.entries
    const entries = new Map<string, HeldBackEntry>()
    this.#slices.push({ began: this.#now(), entries })
    return entries
  }
}
