import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { type LogEntry, type LogStatus, LogUnavailable, type LogWriter, type Position } from '../port.ts'
import { readNatsAddress } from './address.ts'
import { Batcher } from './batcher.ts'
import { connectNats, type Nats } from './connection.ts'
import { subjectOf } from './names.ts'
import { positionOf } from './places.ts'
import { Publisher } from './publisher.ts'
import type { JetstreamReaderHandle } from './reader-handle.ts'
import { ensureStreams, type StreamKeeper } from './streams.ts'
import { StreamWatch } from './watch.ts'

/**
 * Writes to the log in a NATS cluster; any number of processes may do so. batcher.ts puts records into messages,
 * publisher.ts gets them stored, watch.ts checks the streams once a second.
 *
 *   open     appends are accepted, up to a memory limit
 *            -> strained   NATS is away, or a stream has no leader: appends wait in memory for PATIENCE_MS. That is
 *                          longer than NATS takes to elect a leader when one server of three dies, so no client
 *                          notices
 *   strained -> refusing   it has lasted longer
 *            -> open       everything works again
 *   refusing every append is LogUnavailable
 *            -> open       everything works again: the watch notices, without an append
 *   closed   `close()` was called: new appends are refused, accepted ones are sent
 *
 * After every reconnection the streams are checked before anything is sent.
 */
export interface JetstreamLogOptions {
  readonly url: string
  readonly partitions: readonly string[]
  /** The positions up to which consumers have applied, by partition; read again when a stream's end has gone back. */
  readonly released?: () => Promise<Readonly<Record<string, Position>>>
  /** Keeps processes from repairing the streams at the same time. */
  readonly exclusively?: <T>(work: () => Promise<T>) => Promise<T>
  readonly log?: Logger
  /** Appends are refused while more than this waits to be released. 8 GiB. */
  readonly backlogLimitBytes?: number
  /** Appends are refused while more than this waits in memory. 64 MiB. */
  readonly bufferedLimitBytes?: number
  /** How long appends wait in memory while NATS is away, before they are refused at once. 20 s. */
  readonly patienceMs?: number
  /** So long after it was accepted an append is given up. 25 s. */
  readonly giveUpMs?: number
  /** How long to wait for a server at the start. 15 s. */
  readonly connectWithinMs?: number
}

export interface JetstreamLog extends LogWriter {
  readerHandle(): JetstreamReaderHandle
}

const MIB = 1024 * 1024
/**
 * A round of an election takes up to nine seconds, and one in which the votes are split is followed by another. The
 * streams are looked at once a second.
 */
const PATIENCE_MS = 20_000
/** For the first leaders of new streams, on a busy cluster. */
const LEADERS_WITHIN_MS = 30_000
const LOOK_AGAIN_MS = 100
/** Bytes that the client and JetStream add to a message. */
const AROUND_MESSAGE_BYTES = 4_096

export async function openJetstreamLog(options: JetstreamLogOptions): Promise<JetstreamLog> {
  const { url, partitions, log } = options
  const nats = await connectNats(url, 'footfall log', log, options.connectWithinMs)
  try {
    const keeper: StreamKeeper = {
      nats,
      partitions,
      replicas: readNatsAddress(url).replicas ?? (nats.connection.info?.cluster ? 3 : 1),
      log,
      released: options.released ?? (async () => ({})),
      exclusively: options.exclusively ?? ((work) => work()),
    }
    const writer = new JetstreamWriter(options, nats, keeper)
    await writer.open()
    return writer
  } catch (error) {
    await nats.close()
    throw error
  }
}

class JetstreamWriter implements JetstreamLog {
  readonly partitions: readonly string[]
  readonly mayComeTwice = true
  readonly #options: JetstreamLogOptions
  readonly #nats: Nats
  readonly #keeper: StreamKeeper
  readonly #watch: StreamWatch
  readonly #publisher: Publisher
  readonly #batchers: ReadonlyMap<string, Batcher>
  /** Resolved when the streams have been checked since the last reconnection. */
  #ready: Promise<void> = Promise.resolve()
  #mending: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(options: JetstreamLogOptions, nats: Nats, keeper: StreamKeeper) {
    this.partitions = options.partitions
    this.#options = options
    this.#nats = nats
    this.#keeper = keeper
    this.#watch = new StreamWatch(nats, options.partitions)
    const { log, giveUpMs } = options
    this.#publisher = new Publisher({
      nats,
      log,
      ready: () => this.#ready,
      mend: () => this.#mend(),
      ...(giveUpMs === undefined ? {} : { giveUpMs }),
    })
    const publish = this.#publisher.publish.bind(this.#publisher)
    const messageBytes = () => (nats.connection.info?.max_payload ?? MIB) - AROUND_MESSAGE_BYTES
    this.#batchers = new Map(
      options.partitions.map((name) => [name, new Batcher(name, subjectOf(name), publish, messageBytes)]),
    )
  }

  async open(): Promise<void> {
    this.#watch.seen(await ensureStreams(this.#keeper))
    this.#nats.onReturn(() => {
      this.#ready = this.#checkStreams()
      // A publisher that waits for it gets the error and tries again; without one the error is not unhandled.
      this.#ready.catch(() => {})
    })
    await this.#watch.start()
  }

  append(entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve()
    const shares = new Map<Batcher, LogEntry[]>()
    let bytes = 0
    for (const entry of entries) {
      const batcher = this.#batchers.get(entry.partition)
      if (!batcher) return Promise.reject(new RangeError(`The log has no partition '${entry.partition}'.`))
      const share = shares.get(batcher)
      if (share) share.push(entry)
      else shares.set(batcher, [entry])
      bytes += entry.payload.length
    }
    const refusal = this.#refusal(bytes)
    if (refusal !== null) return Promise.reject(refusal)
    const storing = [...shares].map(([batcher, share]) => batcher.add(share))
    return (storing.length === 1 && storing[0] ? storing[0] : allOf(storing)).catch(refuseUnsure)
  }

  status(): LogStatus {
    const refusal = this.#refusal(0)
    return {
      writable: refusal === null,
      reason: refusal?.message ?? null,
      backlogBytes: this.#watch.backlogBytes,
      backlogLimitBytes: this.#backlogLimit,
      partitions: Object.fromEntries(
        [...this.#watch.states].map(([name, { first, last }]) => [
          name,
          { end: positionOf(last + 1), released: positionOf(first) },
        ]),
      ),
    }
  }

  async refresh(): Promise<void> {
    for (const end = Date.now() + LEADERS_WITHIN_MS; ; await pause(LOOK_AGAIN_MS)) {
      try {
        return await this.#watch.look()
      } catch (error) {
        // A stream that was just created may have no leader yet.
        if (Date.now() > end) throw error
      }
    }
  }

  readerHandle(): JetstreamReaderHandle {
    return { kind: 'jetstream', url: this.#options.url, partitions: this.partitions }
  }

  hurry(): void {
    this.#publisher.hurry()
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#publisher.hurry()
      await Promise.all([...this.#batchers.values()].map((batcher) => batcher.drained()))
      this.#watch.stop()
      await this.#nats.close()
    })()
    return this.#closing
  }

  get #backlogLimit(): number {
    return this.#options.backlogLimitBytes ?? 8 * 1024 * MIB
  }

  #refusal(bytes: number): LogUnavailable | null {
    if (this.#closing !== null) return new LogUnavailable('The log is closed: the service is stopping.')
    const strained = this.#nats.awaySince ?? this.#watch.strainedSince
    if (strained !== null && Date.now() - strained > (this.#options.patienceMs ?? PATIENCE_MS))
      return new LogUnavailable(this.#nats.awaySince === null ? this.#watch.strain : 'NATS does not answer.')
    let buffered = 0
    for (const batcher of this.#batchers.values()) buffered += batcher.buffered
    // An append larger than the whole buffer is accepted when the buffer is empty: otherwise it would be refused for
    // ever.
    if (buffered > 0 && buffered + bytes > (this.#options.bufferedLimitBytes ?? 64 * MIB))
      return new LogUnavailable('Events arrive faster than NATS takes them.', 1)
    if (this.#watch.backlogBytes + buffered + bytes > this.#backlogLimit)
      return new LogUnavailable(
        `The backlog of the log has reached its limit (${this.#watch.backlogBytes} of ${this.#backlogLimit} bytes): events wait to be processed.`,
      )
    return null
  }

  /**
   * Checks whether a stream's end has gone back while we were away. Only then the consumers' positions are read again.
   */
  async #checkStreams(): Promise<void> {
    const before = new Map([...this.#watch.states].map(([name, { last }]) => [name, last]))
    try {
      await this.#watch.look()
    } catch {
      return this.#mend()
    }
    if ([...before].some(([name, last]) => (this.#watch.states.get(name)?.last ?? 0) < last)) await this.#mend()
  }

  /** Concurrent calls share one check. */
  #mend(): Promise<void> {
    this.#mending ??= ensureStreams(this.#keeper)
      .then((infos) => {
        this.#watch.seen(infos)
        this.#ready = Promise.resolve()
      })
      .finally(() => {
        this.#mending = null
      })
    return this.#mending
  }
}

/** A message may have been stored although its answer never came, and other partitions may have taken their share. */
function refuseUnsure(error: Error): never {
  const seconds = error instanceof LogUnavailable ? error.retryAfterSeconds : undefined
  throw new LogUnavailable(error.message, seconds, { maybeStored: true })
}

/** Waits for all of them, even when one fails: the response must be true for the whole append. */
async function allOf(shares: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(shares)).find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}
