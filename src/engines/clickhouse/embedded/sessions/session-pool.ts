import type { EngineSession } from './engine-session.ts'

/** Code 202 of ClickHouse: come back later. */
class TooManyQueries extends Error {
  constructor(waiting: number) {
    super(
      `Code: 202. DB::Exception: Too many simultaneous queries: ${waiting} are waiting already. (TOO_MANY_SIMULTANEOUS_QUERIES)`,
    )
  }
}

/** A few sessions with a queue. Sessions are opened when first needed: an idle engine stays small. */
export class SessionPool {
  readonly #open: () => EngineSession
  readonly #size: number
  readonly #maxWaiting: number
  readonly #all: EngineSession[] = []
  readonly #free: EngineSession[] = []
  readonly #waiting: Waiter[] = []

  constructor(options: { size: number; maxWaiting: number; open: () => EngineSession }) {
    this.#open = options.open
    this.#size = options.size
    this.#maxWaiting = options.maxWaiting
  }

  /** Runs `work` with a session of its own. Leaves the queue without running when the signal aborts first. */
  async use<T>(signal: AbortSignal, work: (session: EngineSession) => Promise<T>): Promise<T> {
    const session = await this.#take(signal)
    let done = false
    try {
      const result = await work(session)
      done = true
      return result
    } finally {
      if (!done || signal.aborted) await session.settle()
      const next = this.#waiting.shift()
      if (next) next.go(session)
      else this.#free.push(session)
    }
  }

  close(): void {
    for (const session of this.#all) session.close()
  }

  async #take(signal: AbortSignal): Promise<EngineSession> {
    signal.throwIfAborted()
    const free = this.#free.pop()
    if (free) return free
    if (this.#all.length < this.#size) {
      const session = this.#open()
      this.#all.push(session)
      return session
    }
    if (this.#waiting.length >= this.#maxWaiting) throw new TooManyQueries(this.#waiting.length)
    return new Promise<EngineSession>((resolve, reject) => {
      const leave = () => {
        const place = this.#waiting.indexOf(waiter)
        if (place >= 0) this.#waiting.splice(place, 1)
        reject(signal.reason)
      }
      const waiter: Waiter = {
        go: (session) => {
          signal.removeEventListener('abort', leave)
          resolve(session)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiter)
    })
  }
}

interface Waiter {
  go(session: EngineSession): void
}
