import { type LogEntry, LogUnavailable } from '../port.ts'
import type { Publish } from './large.ts'
import { storeLarge } from './large.ts'
import { encodeRecords, framedBytes } from './message.ts'
import { RECORDS_A_MESSAGE } from './places.ts'

/**
 * Puts the records of many appends to one partition into one message.
 *
 *   idle      nothing waits
 *             -> sending   `add()` was called. Sending begins after the current turn of the event loop, so that all
 *                          requests read in it share a message
 *   sending   one message is being sent, and only one, so that records keep their order. New appends wait for the next
 *             message
 *             -> sending   it was acknowledged, or given up, and appends wait
 *             -> idle      the same, and no appends wait
 *
 * The records of one append are in one message, so they are stored together or not at all; when they are too large for
 * a message, they are stored in pieces before it.
 */
interface Share {
  readonly payloads: readonly Uint8Array[]
  readonly bytes: number
  /** When it was accepted: it is given up so long after that, however long those before it took. */
  readonly since: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class Batcher {
  readonly #partition: string
  readonly #subject: string
  readonly #publish: Publish
  readonly #messageBytes: () => number
  readonly #waiting: Share[] = []
  #sending: Promise<void> | null = null
  /** Bytes accepted and not yet acknowledged or given up. */
  buffered = 0

  constructor(partition: string, subject: string, publish: Publish, messageBytes: () => number) {
    this.#partition = partition
    this.#subject = subject
    this.#publish = publish
    this.#messageBytes = messageBytes
  }

  add(entries: readonly LogEntry[]): Promise<void> {
    const shares: Promise<void>[] = []
    const since = Date.now()
    // No request of ours has more records than fit into a message; such records are accepted, but not atomically.
    for (let i = 0; i < entries.length; i += RECORDS_A_MESSAGE) {
      const payloads = entries.slice(i, i + RECORDS_A_MESSAGE).map(({ payload }) => payload)
      const bytes = framedBytes(payloads)
      this.buffered += bytes
      shares.push(new Promise((resolve, reject) => this.#waiting.push({ payloads, bytes, since, resolve, reject })))
    }
    this.#sending ??= this.#run()
    return Promise.all(shares).then(() => {})
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#sending
  }

  async #run(): Promise<void> {
    do {
      await new Promise(setImmediate)
      const shares = this.#nextMessage()
      try {
        const payloads = shares.flatMap((share) => share.payloads)
        await this.#send(payloads, (shares[0] as Share).since)
        for (const { resolve } of shares) resolve()
      } catch (error) {
        const refusal = error instanceof LogUnavailable ? error : new LogUnavailable((error as Error).message)
        for (const { reject } of shares) reject(refusal)
      }
      for (const { bytes } of shares) this.buffered -= bytes
    } while (this.#waiting.length > 0)
    this.#sending = null
  }

  /** As many as fit into one message, but at least one. */
  #nextMessage(): Share[] {
    let bytes = 1
    let records = 0
    let count = 0
    for (const share of this.#waiting) {
      bytes += share.bytes
      records += share.payloads.length
      if (count > 0 && (bytes > this.#messageBytes() || records > RECORDS_A_MESSAGE)) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #send(payloads: readonly Uint8Array[], since: number): Promise<void> {
    const publish: Publish = (subject, body) => this.#publish(subject, body, since)

    const body = encodeRecords(payloads)
    const most = this.#messageBytes()
    const message = body.length <= most ? body : await storeLarge(publish, this.#partition, body, most)
    await publish(this.#subject, message)
  }
}
