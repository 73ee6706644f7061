import { literal } from './set-statement.ts'

/**
 * The statements that run now. The engine gives a query an id of its own choosing, so each carries ours as its `log_comment`, and that
 * is what a cancellation looks for, from a session that is never busy with anything else.
 */
export class RunningQueries {
  readonly #kill: (statement: string) => Promise<unknown>
  readonly #byTag = new Map<string, { queryId: string; abort: AbortController }>()
  #count = 0

  constructor(kill: (statement: string) => Promise<unknown>) {
    this.#kill = kill
  }

  get count(): number {
    return this.#byTag.size
  }

  /** Runs `work` under a tag of its own; when the signal it is given aborts, the engine is told to stop, until it has. */
  async track<T>(queryId: string, abort: AbortController, work: (tag: string) => Promise<T>): Promise<T> {
    const tag = `footfall:${process.pid}:${++this.#count}`
    this.#byTag.set(tag, { queryId, abort })
    const onAbort = () => void this.#killUntilGone(tag)
    abort.signal.addEventListener('abort', onAbort)
    try {
      return await work(tag)
    } finally {
      abort.signal.removeEventListener('abort', onAbort)
      this.#byTag.delete(tag)
    }
  }

  /** Cancels what runs under a client's query id; true if something did. */
  cancel(queryId: string): boolean {
    const found = [...this.#byTag.values()].filter((running) => running.queryId === queryId)
    for (const running of found) running.abort.abort(new Cancelled())
    return found.length > 0
  }

  cancelAll(): void {
    for (const running of this.#byTag.values()) running.abort.abort(new Cancelled())
  }

  /** A query shows up in the engine's list a moment after it was handed over, hence more than one try. */
  async #killUntilGone(tag: string): Promise<void> {
    while (this.#byTag.has(tag)) {
      await this.#kill(`KILL QUERY WHERE Settings['log_comment'] = ${literal(tag)} ASYNC`).catch(() => {})
      await new Promise((done) => setTimeout(done, 25))
    }
  }
}

class Cancelled extends Error {
  constructor() {
    super('Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)')
  }
}
