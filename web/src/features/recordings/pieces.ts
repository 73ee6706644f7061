import type { eventWithTime } from 'rrweb'
import { hasPicture } from './snapshots.ts'

/** A stretch of a recording that can be asked for by itself: events from `start` to before `end`, in ms since 1970. */
export interface Block {
  start: number
  end: number
  bytes: number
}

type Read = (stretch: Pick<Block, 'start' | 'end'>, signal: AbortSignal) => Promise<eventWithTime[]>

interface Loaded {
  /** Everything up to here is there, in ms since the beginning. */
  until: number
  /** Enough to show something. */
  playable: boolean
  complete: boolean
  error: unknown
}

/** How much is loaded ahead of the position. */
const AHEAD_BYTES = 8 * 1024 * 1024
/** How much is requested at once while the user waits for a later part: fewer requests, and progress still shows. */
const STRIDE_BYTES = 4 * 1024 * 1024

/**
 * The events of a recording, fetched block by block in order of time, without gaps. It is idle until started, fetches
 * until it is far enough ahead of the position, pauses, and continues when the position comes near. A block that fails
 * to load stops it until it is started again; so does `stop`, from any state.
 */
export class Pieces {
  /** Grows at its end. */
  readonly events: eventWithTime[] = []
  /** ms from the first event to the last. */
  readonly total: number
  readonly #blocks: readonly Block[]
  readonly #read: Read
  readonly #ahead: number
  readonly #listeners = new Set<() => void>()
  #state: Loaded = { until: 0, playable: false, complete: false, error: null }
  #fetching: AbortController | null = null
  #fetched = 0
  #position = 0

  constructor(blocks: readonly Block[], read: Read, { ahead = AHEAD_BYTES }: { ahead?: number } = {}) {
    this.#blocks = blocks
    this.#read = read
    this.#ahead = ahead
    this.total = Math.max(0, (blocks.at(-1)?.end ?? 1) - 1 - this.#begin)
  }

  get state(): Loaded {
    return this.#state
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  start(): void {
    if (this.#state.error !== null) this.#tell({ error: null })
    void this.#fetch()
  }

  stop(): void {
    this.#fetching?.abort()
    this.#fetching = null
  }

  /** The position, or where the user wants to be: ms since the beginning. */
  watch(position: number): void {
    this.#position = position
    if (this.#state.error === null) void this.#fetch()
  }

  async #fetch(): Promise<void> {
    if (this.#fetching) return
    const fetching = new AbortController()
    this.#fetching = fetching
    try {
      for (let next = this.#wanted(); next.length > 0; next = this.#wanted()) {
        const stretch = { start: (next[0] as Block).start, end: (next.at(-1) as Block).end }
        const events = await this.#read(stretch, fetching.signal)
        if (fetching.signal.aborted) return
        for (const event of events) this.events.push(event)
        this.#fetched += next.length
        this.#tell({ until: Math.min(stretch.end - this.#begin, this.total) })
      }
      this.#tell({})
    } catch (error) {
      if (!fetching.signal.aborted) this.#tell({ error })
    }
    if (this.#fetching === fetching) this.#fetching = null
  }

  /** The next blocks to ask for together; none when there is enough. */
  #wanted(): readonly Block[] {
    const next = this.#blocks.slice(this.#fetched)
    const position = this.#begin + this.#position
    if (!this.#state.playable) return next.slice(0, 1)
    const missed = next.filter(({ start }) => start <= position)
    if (missed.length > 0) return upTo(STRIDE_BYTES, missed)
    const ready = this.#blocks.slice(0, this.#fetched).filter(({ end }) => end > position)
    return bytesOf(ready) < this.#ahead ? next.slice(0, 1) : []
  }

  get #begin(): number {
    return this.#blocks[0]?.start ?? 0
  }

  #tell(change: Partial<Loaded>): void {
    const complete = this.#fetched === this.#blocks.length
    const playable = this.#state.playable || hasPicture(this.events) || (complete && this.events.length > 1)
    this.#state = { ...this.#state, ...change, complete, playable }
    for (const listener of this.#listeners) listener()
  }
}

const bytesOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { bytes }) => sum + bytes, 0)

/** The first of them that fit together, one at least. */
function upTo(most: number, blocks: readonly Block[]): readonly Block[] {
  const end = blocks.findIndex((_, i) => bytesOf(blocks.slice(0, i + 1)) > most)
  return end < 0 ? blocks : blocks.slice(0, Math.max(end, 1))
}
