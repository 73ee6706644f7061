import { backoffMs } from '../../lib/backoff.ts'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { LogUnavailable } from '../port.ts'
import type { Nats } from './connection.ts'
import { isFull } from './failure.ts'

/**
 * Sends a message until JetStream acknowledges it. When an answer is lost, the message is stored twice: the pipeline
 * recognises its events by their uuids. JetStream could recognise the message by an id, but servers of version 2.9 then
 * disagree on the numbers of messages after a crash, and lose some. Nothing is sent while the connection is lost: the
 * client library would buffer it and send it after the append has failed. After GIVE_UP_MS the append is refused; if it
 * was sent before, it is unknown whether it will be stored.
 *
 * GIVE_UP_MS is longer than the writer's PATIENCE_MS: what was accepted before the writer noticed anything sees the end
 * of the election too. Proxies cut a request after a minute: that is why it counts from when the append was accepted, and
 * leaves room for the last answer.
 */
const GIVE_UP_MS = 25_000
const ANSWER_MS = 4_000
/** A process that stops gives up sooner: the client gets an error and sends again. */
const GIVE_UP_AT_STOP_MS = 2_000

interface PublisherOptions {
  readonly nats: Nats
  readonly log: Logger | undefined
  /** Resolves when the streams are known to be in order. */
  readonly ready: () => Promise<void>
  /** A stream is missing or has no leader: check the streams before trying again. */
  readonly mend: () => Promise<void>
  readonly giveUpMs?: number
}

export class Publisher {
  readonly #options: PublisherOptions
  #giveUpAt = Number.POSITIVE_INFINITY
  /** Set when the service stops and has waited long enough. */
  #over: Error | null = null
  readonly #waiting = new Set<(why: Error) => void>()

  constructor(options: PublisherOptions) {
    this.#options = options
  }

  /** The service stops: what cannot be stored soon is given up, whatever it waits for. */
  hurry(): void {
    if (this.#giveUpAt !== Number.POSITIVE_INFINITY) return
    this.#giveUpAt = Date.now() + GIVE_UP_AT_STOP_MS
    setTimeout(() => {
      this.#over = new Error('the service is stopping')
      for (const giveUp of [...this.#waiting]) giveUp(this.#over)
    }, GIVE_UP_AT_STOP_MS).unref()
  }

  /** The number of the stored message. It is tried once at least, however long ago its records were accepted. */
  async publish(subject: string, body: Uint8Array, since = Date.now()): Promise<number> {
    const { nats, log, mend, giveUpMs = GIVE_UP_MS } = this.#options
    const end = since + giveUpMs
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#unlessOver(this.#send(subject, body))
      } catch (error) {
        const refusal = (error as Error).message
        if (isFull(error)) throw new LogUnavailable(`NATS takes no more: ${refusal}`, 30)
        if (Date.now() >= Math.min(end, this.#giveUpAt))
          throw new LogUnavailable(`The log cannot be written: ${refusal}`)
        log?.warn({ subject, attempt, error: refusal }, 'the log waits for NATS')
        await pause(backoffMs(attempt, { firstMs: 50, longestMs: 500 }))
        // No responder on the subject: the stream has no leader at the moment, or it was deleted.
        if (attempt > 2 && nats.awaySince === null) await this.#unlessOver(mend()).catch(() => {})
      }
    }
  }

  /** Not a race with one promise for all of them: that would keep something of each message for ever. */
  #unlessOver<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#over) reject(this.#over)
      this.#waiting.add(reject)
      const done = () => void this.#waiting.delete(reject)
      work.then(resolve, reject).then(done, done)
    })
  }

  async #send(subject: string, body: Uint8Array): Promise<number> {
    const { nats, ready } = this.#options
    if (nats.awaySince !== null) throw new Error('NATS does not answer')
    await ready()
    const { seq } = await nats.client.publish(subject, body, { timeout: ANSWER_MS, retries: 1 })
    return seq
  }
}
