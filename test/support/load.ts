import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { TOKENS } from './service.ts'

/** A load that knows what was acknowledged: every event carries a number of its own. */
export class Load {
  readonly acknowledged = new Set<string>()
  readonly sent = new Set<string>()
  /** Answers other than 200. */
  refused = 0
  /** Requests without an answer. */
  broken = 0
  #stopped = false
  #running: Promise<unknown> = Promise.resolve()
  readonly #event: string
  readonly #ballast: number
  readonly #pauseMs: number

  /**
   * `ballast`: so many bytes that no compression makes smaller, in every event. `pauseMs`: how long a client waits before it sends again;
   * where a fault takes long, a machine that is slow to mend it is not given more to store than a quick one.
   */
  constructor(event: string, { ballast = 0, pauseMs = 0 }: { ballast?: number; pauseMs?: number } = {}) {
    this.#event = event
    this.#ballast = ballast
    this.#pauseMs = pauseMs
  }

  start(url: string, clients = 6): void {
    this.#stopped = false
    this.#running = Promise.all(Array.from({ length: clients }, (_, i) => this.#client(url, i)))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  /** Half of the clients send single events, half batches; every other event brings its own uuid. */
  async #client(url: string, number: number): Promise<void> {
    for (let turn = 0; !this.#stopped && turn < 10_000; turn++) {
      const events = Array.from({ length: number % 2 === 0 ? 1 : 20 }, (_, i) =>
        this.#newEvent(`visitor-${number}-${turn % 7}`, i % 2 === 0),
      )
      const [path, body] =
        events.length === 1
          ? ['/i/v0/e/', { api_key: TOKENS.one, ...events[0] }]
          : ['/batch/', { api_key: TOKENS.one, batch: events }]
      const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) }).catch(() => null)
      if (answer?.status === 200) for (const { properties } of events) this.acknowledged.add(properties.marker)
      else {
        if (answer) this.refused += 1
        else this.broken += 1
        await delay(20)
      }
      if (this.#pauseMs > 0) await delay(this.#pauseMs)
    }
  }

  /** What several loads of one event have sent, together. */
  static of(event: string, loads: readonly Load[]): Load {
    const all = new Load(event)
    for (const load of loads) {
      for (const marker of load.sent) all.sent.add(marker)
      for (const marker of load.acknowledged) all.acknowledged.add(marker)
      all.refused += load.refused
      all.broken += load.broken
    }
    return all
  }

  #newEvent(distinctId: string, withUuid: boolean) {
    const marker = randomUUID()
    this.sent.add(marker)
    return {
      event: this.#event,
      distinct_id: distinctId,
      properties: {
        marker,
        $set: { last: marker },
        ...(this.#ballast > 0 ? { ballast: randomBytes(this.#ballast).toString('base64') } : {}),
      },
      ...(withUuid ? { uuid: marker } : {}),
    }
  }
}
