import { type Consumer, type ConsumerMessages, DeliverPolicy, type JsMsg } from '@nats-io/jetstream'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import type { LogRecord, Position } from '../port.ts'
import type { Nats } from './connection.ts'
import { LargeRead, loadLarge, MissingPiece } from './large.ts'
import { decodeMessage } from './message.ts'
import { streamOf } from './names.ts'
import { placeOf, positionOf, sequenceOf } from './places.ts'

/**
 * The messages of one partition, in order, read ahead of the pipeline.
 *
 *   idle      no position has been requested yet, or another one than the next
 *             -> reading   `startAt` a position
 *   reading   a JetStream consumer brings messages, up to a memory limit; when it ends (no leader, no server), another
 *             one continues after the last message
 *             -> idle      `startAt` another position
 *   closed    `close()` was called
 */
const AHEAD_BYTES = 16 * 1024 * 1024
const PULL_BYTES = 8 * 1024 * 1024
const AGAIN_MS = 250
const END_WITHIN_MS = 500
/** A consumer may be lost with its server; it is replaced after this time without a sign of life. */
const PULL_FOR = { expires: 5_000, idle_heartbeat: 1_000 }
/** The server deletes a consumer that has not been used for this long. */
const FORGOTTEN_AFTER_NS = 30_000_000_000

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
  #wantedBytes = AHEAD_BYTES
  #generation = 0
  #messages: ConsumerMessages | null = null
  #reading: Promise<void> = Promise.resolve()
  readonly #changed = new Set<() => void>()

  constructor(nats: Nats, partition: string, log: Logger | undefined) {
    this.#nats = nats
    this.#partition = partition
    this.#log = log
  }

  /** The records read ahead, and the number of the last message. */
  get ahead(): { readonly records: readonly LogRecord[]; readonly bytes: number; readonly readTo: number } {
    return { records: this.#records, bytes: this.#bytes, readTo: this.#readTo }
  }

  async startAt(position: Position): Promise<void> {
    if (this.#position === position) return
    await this.#end()
    this.#position = position
    this.#start = position
    this.#records = []
    this.#bytes = 0
    this.#readTo = Math.max(sequenceOf(position) - 1, 0)
    const generation = ++this.#generation
    this.#reading = this.#read(generation)
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

  async close(): Promise<void> {
    await this.#end()
  }

  async #end(): Promise<void> {
    this.#generation += 1
    this.#tell()
    const ended = this.#messages?.close().catch(() => {})
    // Stopping may take long while a server is gone; messages that still come belong to an earlier generation and are
    // ignored.
    await Promise.race([Promise.all([ended, this.#reading]), pause(END_WITHIN_MS)])
  }

  async #read(generation: number): Promise<void> {
    while (generation === this.#generation) {
      try {
        await this.#reportLoss()
        const consumer = await this.#nats.client.consumers.get(streamOf(this.#partition), {
          deliver_policy: DeliverPolicy.StartSequence,
          opt_start_seq: this.#readTo + 1,
          inactive_threshold: FORGOTTEN_AFTER_NS,
        })
        await this.#follow(consumer, generation)
      } catch (error) {
        if (generation !== this.#generation || this.#nats.connection.isClosed()) return
        this.#log?.warn({ partition: this.#partition, error: (error as Error).message }, 'reading waits for NATS')
      }
      if (generation === this.#generation) await pause(AGAIN_MS)
    }
  }

  async #follow(consumer: Consumer, generation: number): Promise<void> {
    if (generation !== this.#generation) return
    const messages = await consumer.consume({ max_bytes: PULL_BYTES, ...PULL_FOR })
    this.#messages = messages
    try {
      for await (const message of messages) {
        if (generation !== this.#generation) return
        await this.#take(message, generation)
        await this.until(() => generation !== this.#generation || this.#bytes < this.#wantedBytes)
      }
    } finally {
      await messages.close().catch(() => {})
    }
  }

  async #take(message: JsMsg, generation: number): Promise<void> {
    if (message.seq <= this.#readTo) return
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

  async #payloadsOf({ seq, data }: JsMsg): Promise<Buffer[]> {
    try {
      const decoded = decodeMessage(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
      if ('records' in decoded) return decoded.records
      this.large.add(seq, decoded.reference.id)
      return await loadLarge(this.#nats, decoded.reference)
    } catch (error) {
      // Other errors may be temporary: a new consumer starts after the last message that was read.
      if (!(error instanceof RangeError || error instanceof SyntaxError || error instanceof MissingPiece)) throw error
      this.#log?.error(
        { partition: this.#partition, message: seq, error: error.message },
        'a message of the log cannot be read; the records in it are lost',
      )
      return []
    }
  }

  async #reportLoss(): Promise<void> {
    const { state } = await this.#nats.manager.streams.info(streamOf(this.#partition))
    const next = this.#readTo + 1
    if (state.first_seq > next)
      this.#log?.error(
        { partition: this.#partition, from: next, to: state.first_seq - 1 },
        'messages that were not read yet are no longer in the stream',
      )
  }

  #tell(): void {
    for (const look of [...this.#changed]) look()
  }
}
