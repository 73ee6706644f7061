import { backoffMs } from '../../../../lib/backoff.ts'
import { atMost } from '../../../../lib/in-time.ts'
import { pause } from '../../../../lib/pause.ts'
import { literal } from '../sessions/set-statement.ts'

/**
 * The running statements. The engine chooses query ids itself, so each statement has ours as its `log_comment`, and a
 * cancellation searches for that, from a session that is used for nothing else.
 */
export class RunningQueries {
  readonly #kill: (statement: string) => Promise<unknown>
  readonly #whenStuck: (tag: string) => void
  readonly #patience: Patience
  readonly #cpuMs: () => number
  readonly #byTag = new Map<string, { queryId: string; abort: AbortController }>()
  #count = 0

  constructor(options: {
    kill(statement: string): Promise<unknown>
    /** Called for a query that runs on although it was killed. */
    whenStuck(tag: string): void
    readonly patience: Patience
    /** The CPU time of the engine so far. */
    cpuMs(): number
  }) {
    this.#kill = options.kill
    this.#whenStuck = options.whenStuck
    this.#patience = options.patience
    this.#cpuMs = options.cpuMs
  }

  get count(): number {
    return this.#byTag.size
  }

  /**
   * Runs `work` under a tag of its own; when the signal aborts, the statement is killed, repeatedly, until it has
   * ended.
   */
  async track<T>({ queryId, abort, isQuestion = false }: Tracked, work: (tag: string) => Promise<T>): Promise<T> {
    const tag = `footfall:${process.pid}:${++this.#count}`
    this.#byTag.set(tag, { queryId, abort })
    const onAbort = () => void this.#killUntilGone(tag, isQuestion)
    abort.signal.addEventListener('abort', onAbort)
    try {
      return await work(tag)
    } finally {
      abort.signal.removeEventListener('abort', onAbort)
      this.#byTag.delete(tag)
    }
  }

  /** Cancels the statement with a client's query id; true if there was one. */
  cancel(queryId: string): boolean {
    const found = [...this.#byTag.values()].filter((running) => running.queryId === queryId)
    for (const running of found) running.abort.abort(new Cancelled())
    return found.length > 0
  }

  cancelAll(): void {
    for (const running of this.#byTag.values()) running.abort.abort(new Cancelled())
  }

  /** A query appears in the engine's list a moment after it was started, hence more than one try. */
  async #killUntilGone(tag: string, isQuestion: boolean): Promise<void> {
    const { runningMs, waitingMs } = this.#patience
    const since = Date.now()
    let ran = 0
    for (let attempt = 0; this.#byTag.has(tag); attempt++) {
      const [at, cpu] = [Date.now(), this.#cpuMs()]
      const killed = this.#kill(`KILL QUERY WHERE Settings['log_comment'] = ${literal(tag)} ASYNC`).catch(() => {})
      await atMost(runningMs, killed)
      await pause(backoffMs(attempt, { firstMs: 25, longestMs: 500 }))
      ran += Math.min(Date.now() - at, (this.#cpuMs() - cpu) / Math.max(this.count, 1))
      const isStuck = ran >= runningMs || Date.now() - since >= waitingMs
      if (isQuestion && isStuck && this.#byTag.has(tag)) return this.#whenStuck(tag)
    }
  }
}

/** How long a killed query may run on. */
export interface Patience {
  /**
   * By its share of the engine's CPU time, and as if it used one core: where the machine is busy with other things, a
   * query that would stop at once takes long.
   */
  readonly runningMs: number
  /** By the clock. */
  readonly waitingMs: number
}

interface Tracked {
  readonly queryId: string
  readonly abort: AbortController
  /** Only for a query of a project the engine is killed. */
  readonly isQuestion?: boolean
}

/**
 * A query ran longer than its limit. The engine itself checks only between two blocks, and a block may take for ever.
 */
export class Overrun extends Error {
  constructor(seconds: number) {
    super(`Code: 159. DB::Exception: Timeout exceeded: the question ran longer than ${seconds} s. (TIMEOUT_EXCEEDED)`)
  }
}

class Cancelled extends Error {
  constructor() {
    super('Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)')
  }
}
