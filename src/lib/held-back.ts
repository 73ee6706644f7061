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

interface Tally extends Omit<HeldBackEntry, 'count' | 'last_at'> {
  count: number
  lastAt: number
}

interface Slice {
  readonly began: number
  readonly tallies: Map<string, Tally>
}

/**
 * Counts the clients that were held back in the last hour. Its memory is bounded, whoever attacks, and a refused
 * request costs one look into a map: whoever sends a million of them must not slow down the others by being counted.
 */
export class HeldBack {
  /** The slices of the hour, the newest last. */
  #slices: Slice[] = []
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  count(reason: string, { address = null, project = null }: Client): void {
    const now = this.#now()
    const { tallies } = this.#current(now)
    const tally = tallies.get(keyOf(reason, address, project)) ?? begun(tallies, reason, address, project)
    tally.count++
    tally.lastAt = now
  }

  /** Those with the highest counts, the highest first. */
  top(most: number): HeldBackEntry[] {
    const since = this.#now() - HOUR
    const sums = new Map<string, Tally>()
    for (const { began, tallies } of this.#slices) {
      if (began <= since) continue
      for (const [key, tally] of tallies) sums.set(key, { ...tally, count: tally.count + (sums.get(key)?.count ?? 0) })
    }
    return [...sums.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, most)
      .map(({ lastAt, ...tally }) => ({ ...tally, last_at: new Date(lastAt) }))
  }

  #current(now: number): Slice {
    const newest = this.#slices.at(-1)
    if (newest && now - newest.began < SLICE) return newest
    const slice: Slice = { began: now, tallies: new Map() }
    this.#slices = [...this.#slices.slice(1 - SLICES), slice]
    return slice
  }
}

/** Addresses have no spaces. */
const keyOf = (reason: string, address: string | null, project: number | null): string =>
  `${reason} ${project ?? ''} ${address ?? ''}`

/** For a client that was not seen in this slice; the unknown one when there are too many. */
function begun(tallies: Map<string, Tally>, reason: string, address: string | null, project: number | null): Tally {
  const isKnown = tallies.size < MOST_CLIENTS
  const client = isKnown ? { address, project } : { address: null, project: null }
  const key = keyOf(reason, client.address, client.project)
  const tally = tallies.get(key) ?? { reason, ...client, count: 0, lastAt: 0 }
  tallies.set(key, tally)
  return tally
}
