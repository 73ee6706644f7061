import { HOUR } from '../../lib/durations.ts'
import { atMost, timeLimit } from '../../lib/in-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { LogRange, LogReader, LogRecord, Position } from '../port.ts'
import { connectNats, type Nats } from './connection.ts'
import { deleteBefore } from './delete-messages.ts'
import { Feed, type FeedOptions } from './feed.ts'
import { deletePieces, sweepLarge } from './large.ts'
import { streamOf } from './names.ts'
import { sequenceOf } from './places.ts'
import type { JetstreamReaderHandle } from './reader-handle.ts'

/**
 * Reads the log, in any process. A partition has one reader at a time; the pipeline's leases decide which. Released
 * messages are deleted in the background, so that a release never waits; what a crash leaves is deleted with the next
 * release.
 */
interface Limits {
  readonly bytes: number
  readonly records: number
}

const SWEEP_EVERY_MS = HOUR
const AGAIN_MS = 1_000
const BRING_WITHIN_MS = 2_000
const CLOSE_WITHIN_MS = 1_000

export interface JetstreamReaderOptions extends FeedOptions {
  /** After so long a read returns the records it has. 2 s. */
  readonly bringWithinMs?: number
}

export async function openJetstreamReader(
  { url, partitions }: JetstreamReaderHandle,
  options: JetstreamReaderOptions = {},
): Promise<LogReader> {
  return new JetstreamReader(await connectNats(url, 'footfall reader', options.log), partitions, options)
}

class JetstreamReader implements LogReader {
  readonly partitions: readonly string[]
  readonly #nats: Nats
  readonly #feeds: ReadonlyMap<string, Feed>
  readonly #log: Logger | undefined
  readonly #bringWithinMs: number
  readonly #releasing = new Map<string, { upTo: Position; done: Promise<void> }>()
  readonly #sweptAt = new Map<string, number>()
  readonly #stop = new AbortController()

  constructor(nats: Nats, partitions: readonly string[], options: JetstreamReaderOptions) {
    this.#nats = nats
    this.partitions = partitions
    this.#log = options.log
    this.#bringWithinMs = options.bringWithinMs ?? BRING_WITHIN_MS
    this.#feeds = new Map(partitions.map((name) => [name, new Feed(nats, name, options)]))
  }

  async read(partition: string, from: Position, limits: Limits): Promise<LogRange> {
    const feed = this.#feed(partition)
    await feed.startAt(from)
    const { state } = await this.#nats.manager.streams.info(streamOf(partition))
    const last = state.messages > 0 ? state.last_seq : 0
    feed.learn(last)
    const enough = () => {
      const { records, bytes, readTo } = feed.ahead
      return readTo >= last || (records.length > 0 && (records.length >= limits.records || bytes >= limits.bytes))
    }
    feed.want(limits.bytes)
    const limit = timeLimit(this.#bringWithinMs, this.#stop.signal)
    await feed.until(enough, limit.signal).finally(limit.end)
    feed.want(0)
    // Another read has moved the feed: its records are not of this range, and an empty range would count as applied.
    if (feed.position !== from) throw new Error('another read of this partition began meanwhile')
    // An empty range would mean that there are no records.
    if (feed.ahead.records.length === 0 && !enough()) throw new Error('NATS does not bring what is in the log')
    const { records, next } = feed.take(countOf(feed.ahead.records, limits))
    return { partition, from, next: records.length === 0 ? from : next, records }
  }

  async wait(partition: string, from: Position, signal: AbortSignal): Promise<void> {
    const feed = this.#feed(partition)
    await feed.startAt(from)
    // `close` tells those who wait. No AbortSignal.any: its sources would keep something of each wait as long as they live.
    await feed.until(() => this.#stop.signal.aborted || feed.ahead.records.length > 0, signal)
  }

  async release(partition: string, upTo: Position): Promise<void> {
    this.#feed(partition)
    const under = this.#releasing.get(partition)
    if (under) {
      under.upTo = Math.max(under.upTo, upTo)
      return
    }
    const releasing = { upTo, done: Promise.resolve() }
    this.#releasing.set(partition, releasing)
    releasing.done = this.#delete(partition, releasing)
  }

  async leave(partition: string): Promise<void> {
    await this.#feed(partition).stop()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const deleted = Promise.all([...this.#releasing.values()].map(({ done }) => done))
    await atMost(CLOSE_WITHIN_MS, deleted)
    await Promise.all([...this.#feeds.values()].map((feed) => feed.stop()))
    await this.#nats.close()
  }

  #feed(partition: string): Feed {
    const feed = this.#feeds.get(partition)
    if (!feed) throw new RangeError(`The log has no partition '${partition}'.`)
    return feed
  }

  /** One call for a partition at a time; what is released meanwhile is deleted next. */
  async #delete(partition: string, releasing: { upTo: Position }): Promise<void> {
    for (let deleted = 0; deleted < releasing.upTo; ) {
      const { upTo } = releasing
      try {
        await deleteBefore(this.#nats, streamOf(partition), sequenceOf(upTo))
        for (const pieces of this.#feed(partition).large.takeBefore(upTo)) await deletePieces(this.#nats, pieces)
        deleted = upTo
        await this.#sweep(partition)
      } catch (error) {
        if (this.#stop.signal.aborted) break
        this.#log?.warn({ partition, error: (error as Error).message }, 'what was released is deleted later')
        await pause(AGAIN_MS, this.#stop.signal)
      }
    }
    this.#releasing.delete(partition)
  }

  async #sweep(partition: string): Promise<void> {
    if (Date.now() - (this.#sweptAt.get(partition) ?? 0) < SWEEP_EVERY_MS) return
    this.#sweptAt.set(partition, Date.now())
    const swept = await sweepLarge(this.#nats, partition)
    if (swept > 0) this.#log?.info({ partition, swept }, 'deleted large records without a message')
  }
}

/** How many of the records fit the limits, but at least one. */
function countOf(records: readonly LogRecord[], limits: Limits): number {
  let bytes = 0
  let count = 0
  for (const { payload } of records) {
    bytes += payload.length
    if (count > 0 && (bytes > limits.bytes || count >= limits.records)) break
    count += 1
  }
  return count
}
