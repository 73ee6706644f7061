import { DeliverPolicy, type StreamState } from '@nats-io/jetstream'
import { atMost } from '../../lib/in-time.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { LogRecord, Position } from '../port.ts'
import type { Nats } from './connection.ts'
import { LargeRead, loadLarge, MissingPiece } from './large.ts'
import { decodeMessage } from './message.ts'
import { Missing } from './missing.ts'
import { streamOf } from './names.ts'
import { placeOf, positionOf, sequenceOf } from './places.ts'
import { type StoredMessage, storedMessage } from './stored-message.ts'

/**
 * The messages of one partition, in order, read ahead of the pipeline. A JetStream consumer tells when there are new
 * ones, and the leader of the stream is asked for them. The consumer could bring them too, but from any replica: after
 * most servers of a cluster have crashed, one of version 2.9 may have another message under a number than the leader.
 *
 *   idle      no position has been requested yet, or another one than the next
 *             -> reading   `startAt` a position
 *   reading   messages are brought up to the last one we know of, and up to a memory limit
 *             -> idle      `startAt` another position, or `stop()`
 */
const AHEAD_BYTES = 16 * 1024 * 1024
const AT_ONCE = 16
const AGAIN_MS = 250
/** In case the consumer does not tell. */
const LOOK_EVERY_MS = 5_000
const END_WITHIN_MS = 500
/** A consumer may be lost with its server; it is replaced after this time without a sign of life. */
const PULL_FOR = { expires: 5_000, idle_heartbeat: 1_000 }
/** The server deletes a consumer that has not been used for this long. */
const FORGOTTEN_AFTER_NS = 30_000_000_000

export interface FeedOptions {
  readonly log?: Logger | undefined
  /** After so long, what is not in a stream counts as lost. 15 s. */
  readonly lostAfterMs?: number | undefined
}

export class Feed {
  readonly large = new LargeRead()
  readonly #nats: Nats
  readonly #partition: string
  readonly #log: Logger | undefined
  #records: LogRecord[] = []
  #bytes = 0
  /** The position of the next record to take, and the message after which reading continues. */
  #position: Position | null = null
  #start: Position = 0
  #readTo = 0
  /** The last message that we know of. */
  #last = 0
  readonly #missingMessage: Missing
  readonly #missingPiece: Missing
  #wantedBytes = AHEAD_BYTES
  #generation = 0
  #stopListening: () => Promise<unknown> = async () => {}
  #reading: Promise<unknown> = Promise.resolve()
  readonly #changed = new Set<() => void>()

  constructor(nats: Nats, partition: string, { log, lostAfterMs }: FeedOptions) {
    this.#nats = nats
    this.#partition = partition
    this.#log = log
    this.#missingMessage = new Missing(lostAfterMs)
    this.#missingPiece = new Missing(lostAfterMs)
  }

  /** The records read ahead, and the number of the last message. */
  get ahead(): { readonly records: readonly LogRecord[]; readonly bytes: number; readonly readTo: number } {
    return { records: this.#records, bytes: this.#bytes, readTo: this.#readTo }
  }

  /** The position of the next record to take; null while nothing is read. */
  get position(): Position | null {
    return this.#position
  }

  async startAt(position: Position): Promise<void> {
    if (this.#position === position) return
    await this.stop()
    this.#position = position
    this.#start = position
    this.#records = []
    this.#bytes = 0
    this.#readTo = Math.max(sequenceOf(position) - 1, 0)
    this.#last = 0
    const generation = ++this.#generation
    this.#reading = Promise.all([this.#listen(generation), this.#read(generation)])
  }

  /** Removes the first records. The next one is at `next`. */
  take(count: number): { readonly records: LogRecord[]; readonly next: Position } {
    const records = this.#records.splice(0, count)
    for (const { payload } of records) this.#bytes -= payload.length
    const last = records.at(-1)
    // All records of the message are taken: the next one is in the following message.
    const next = this.#records[0]?.position ?? positionOf(this.#readTo + 1)
    if (last) this.#position = Math.max(next, last.position + 1)
    this.#tell()
    return { records, next: this.#position as Position }
  }

  /** Reads at least this far ahead. */
  want(bytes: number): void {
    this.#wantedBytes = Math.max(bytes, AHEAD_BYTES)
    this.#tell()
  }

  /** There are messages up to this one. */
  learn(last: number): void {
    if (last <= this.#last) return
    this.#last = last
    this.#tell()
  }

  /** Resolves when the condition holds or the signal aborts. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    if (condition() || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const finish = () => {
        this.#changed.delete(look)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const look = () => {
        if (condition()) finish()
      }
      signal?.addEventListener('abort', finish)
      this.#changed.add(look)
    })
  }

  async stop(): Promise<void> {
    this.#position = null
    this.#generation += 1
    this.#tell()
    const ended = this.#stopListening().catch(() => {})
    // Stopping may take long while a server is gone; messages that still come belong to an earlier generation and are
    // ignored.
    await atMost(END_WITHIN_MS, Promise.all([ended, this.#reading]))
  }

  /** Learns of new messages. */
  async #listen(generation: number): Promise<void> {
    await this.#whileReading(generation, async () => {
      const consumer = await this.#nats.client.consumers.get(streamOf(this.#partition), {
        deliver_policy: DeliverPolicy.New,
        headers_only: true,
        inactive_threshold: FORGOTTEN_AFTER_NS,
      })
      const messages = await consumer.consume({ max_messages: 500, ...PULL_FOR })
      this.#stopListening = () => messages.close()
      try {
        await this.#look()
        for await (const { seq } of messages) {
          if (generation !== this.#generation) return
          this.learn(seq)
        }
      } finally {
        await messages.close().catch(() => {})
      }
    })
  }

  /** Brings messages as long as there are any, and room for them. */
  async #read(generation: number): Promise<void> {
    await this.#whileReading(generation, async () => {
      const stale = () => generation !== this.#generation
      const toRead = () => this.#last > this.#readTo && this.#bytes < this.#wantedBytes
      if (toRead()) return this.#bring(generation)
      const seen = this.#last
      await this.until(() => stale() || toRead(), AbortSignal.timeout(LOOK_EVERY_MS))
      if (!stale() && this.#last === seen) await this.#look()
    })
  }

  /** Repeats some work until another position is requested. */
  async #whileReading(generation: number, work: () => Promise<void>): Promise<void> {
    while (generation === this.#generation) {
      try {
        await work()
      } catch (error) {
        if (generation !== this.#generation || this.#nats.connection.isClosed()) return
        this.#log?.warn({ partition: this.#partition, error: (error as Error).message }, 'reading waits for NATS')
        await pause(AGAIN_MS)
      }
    }
  }

  async #bring(generation: number): Promise<void> {
    const [first, stream] = [this.#readTo + 1, streamOf(this.#partition)]
    const messages = await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, this.#last - this.#readTo) }, (_, i) =>
        storedMessage(this.#nats, stream, first + i),
      ),
    )
    for (const message of messages) {
      if (message === null) return this.#passMissing(generation)
      this.#missingMessage.found()
      await this.#take(message, generation)
      if (generation !== this.#generation) return
    }
  }

  async #take(message: StoredMessage, generation: number): Promise<void> {
    const payloads = await this.#payloadsOf(message)
    if (generation !== this.#generation) return
    const first = message.seq === sequenceOf(this.#start) ? placeOf(this.#start) : 0
    for (let place = first; place < payloads.length; place++) {
      const payload = payloads[place] as Buffer
      this.#records.push({ position: positionOf(message.seq, place), payload })
      this.#bytes += payload.length
    }
    this.#readTo = message.seq
    this.#tell()
  }

  /** The next message is not there: the stream ends before it, skipped ahead, or has lost it. */
  async #passMissing(generation: number): Promise<void> {
    const { first_seq, last_seq } = await this.#look()
    if (generation !== this.#generation) return
    const next = this.#readTo + 1
    // A replica told of a message that the leader does not have.
    if (last_seq < next) this.#last = last_seq
    else if (first_seq > next) this.#passTo(first_seq)
    else if (this.#missingMessage.isLost()) this.#passTo(next + 1)
    else await pause(AGAIN_MS)
  }

  #passTo(next: number): void {
    this.#log?.error(
      { partition: this.#partition, from: this.#readTo + 1, to: next - 1 },
      'messages that were not read yet are no longer in the stream',
    )
    this.#readTo = next - 1
    this.#tell()
  }

  async #payloadsOf({ seq, data }: StoredMessage): Promise<Buffer[]> {
    try {
      const decoded = decodeMessage(data)
      if ('records' in decoded) return decoded.records
      const records = await loadLarge(this.#nats, decoded.reference)
      this.#missingPiece.found()
      this.large.add(seq, decoded.reference.sequences)
      return records
    } catch (error) {
      const unreadable = error instanceof RangeError || error instanceof SyntaxError
      const lost = error instanceof MissingPiece && this.#missingPiece.isLost()
      // Other errors may be temporary: the message is brought again.
      if (!(unreadable || lost)) throw error
      this.#log?.error(
        { partition: this.#partition, message: seq, error: (error as Error).message },
        'a message of the log cannot be read; the records in it are lost, unless it was stored twice and read before',
      )
      return []
    }
  }

  async #look(): Promise<StreamState> {
    const { state } = await this.#nats.manager.streams.info(streamOf(this.#partition))
    this.learn(state.last_seq)
    return state
  }

  #tell(): void {
    for (const look of [...this.#changed]) look()
  }
}
