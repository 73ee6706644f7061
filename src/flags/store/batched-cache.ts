import { within } from '../../lib/in-time.ts'

/**
 * Values looked up by key, kept for a short time. Keys that are asked for while a lookup runs go out together in the
 * next one, so that many requests become few statements; the same key is looked up once for all who wait for it. A
 * value that has counted for half of its time is looked up again while it still counts, so that those who ask often
 * never wait.
 *
 * When a lookup fails or takes too long, those who wait get null, and nothing is asked for a moment: a database that is
 * away must not be met by everybody who waits for it.
 */
export interface BatchedCacheOptions<V> {
  load(keys: readonly string[]): Promise<ReadonlyMap<string, V>>
  /** What a key has that was not found. */
  readonly missing: V
  /** How long a value counts. */
  readonly freshMs: number
  readonly patienceMs?: number
  readonly mostBytes?: number
  bytesOf(value: V): number
}

interface Kept<V> {
  readonly value: V
  readonly until: number
  readonly bytes: number
}

interface Lookup<V> {
  readonly key: string
  readonly found: Promise<V | null>
  resolve(value: V | null): void
  /** The value may have changed since: it goes to those who wait, and is not kept. */
  outdated: boolean
}

/** What a lookup finds is parsed in one turn of the event loop, in which nobody else is answered. */
const AT_ONCE = 64
const MOST_WAITING = 20_000
const LOOKUPS = 2
const BACK_OFF_MS = 500
const KEY_BYTES = 200

export class BatchedCache<V> {
  readonly #options: BatchedCacheOptions<V>
  readonly #kept = new Map<string, Kept<V>>()
  #bytes = 0
  readonly #waiting = new Map<string, Lookup<V>>()
  #queue: Lookup<V>[] = []
  #running = 0
  #scheduled = false
  #closedUntil = 0

  constructor(options: BatchedCacheOptions<V>) {
    this.#options = options
  }

  /** Without a promise when it is known; null when it cannot be looked up now. */
  get(key: string): V | null | Promise<V | null> {
    const kept = this.#kept.get(key)
    const now = Date.now()
    if (kept === undefined || kept.until <= now) return this.#lookUp(key, now)
    if (kept.until - now < this.#options.freshMs / 2) this.#lookUp(key, now)
    return kept.value
  }

  #lookUp(key: string, now: number): Promise<V | null> | null {
    const waiting = this.#waiting.get(key)
    if (waiting) return waiting.found
    if (now < this.#closedUntil || this.#waiting.size >= MOST_WAITING) return null
    let resolve: Lookup<V>['resolve'] = () => {}
    const found = new Promise<V | null>((done) => {
      resolve = done
    })
    const lookup = { key, found, resolve, outdated: false }
    this.#waiting.set(key, lookup)
    this.#queue.push(lookup)
    this.#schedule()
    return found
  }

  /** What is stored has changed: whoever asks from now on gets the new value. */
  forget(key: string): void {
    const waiting = this.#waiting.get(key)
    if (waiting) {
      waiting.outdated = true
      this.#waiting.delete(key)
    }
    this.#drop(key)
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    this.#kept.delete(key)
    this.#bytes -= kept.bytes
  }

  /** In the next turn of the event loop: requests that arrive together share a lookup. */
  #schedule(): void {
    if (this.#scheduled || this.#running >= LOOKUPS || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const batch = this.#queue.splice(0, AT_ONCE)
      if (batch.length > 0) void this.#run(batch)
      this.#schedule()
    })
  }

  async #run(batch: readonly Lookup<V>[]): Promise<void> {
    this.#running++
    let found: ReadonlyMap<string, V> | null = null
    try {
      found = await within(this.#options.patienceMs ?? 1000, this.#options.load(batch.map(({ key }) => key)))
    } catch {
      this.#closedUntil = Date.now() + BACK_OFF_MS
    }
    this.#running--
    for (const lookup of batch) {
      const { key } = lookup
      const value = found === null ? null : (found.get(key) ?? this.#options.missing)
      if (!lookup.outdated) {
        this.#waiting.delete(key)
        if (value !== null) this.#keep(key, value)
      }
      lookup.resolve(value)
    }
    if (found === null) this.#giveUpQueue()
    this.#schedule()
  }

  #giveUpQueue(): void {
    const queue = this.#queue
    this.#queue = []
    for (const lookup of queue) {
      if (!lookup.outdated) this.#waiting.delete(lookup.key)
      lookup.resolve(null)
    }
  }

  #keep(key: string, value: V): void {
    this.#drop(key)
    const bytes = this.#options.bytesOf(value) + KEY_BYTES + key.length * 2
    this.#kept.set(key, { value, until: Date.now() + this.#options.freshMs, bytes })
    this.#bytes += bytes
    const most = this.#options.mostBytes ?? 32 * 1024 * 1024
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= most) break
      this.#drop(oldest)
    }
  }
}
