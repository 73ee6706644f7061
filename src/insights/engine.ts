/** The one door from a finished statement to the engine, and what going through it cost. */
import {
  type ClickHouse,
  ClickHouseFailure,
  type Fragment,
  render,
  type Statement,
} from '../engines/clickhouse/index.ts'
import { ApiError } from '../http/errors.ts'
import { inWordsOfTheAsker } from './hogql/engine-words.ts'

export interface Asked {
  readonly statement: Statement
  readonly rowsRead: number
  readonly elapsedMs: number
}

/** One question's conversation with the engine: every statement it took, for `explain` and for the bill. */
export class Conversation {
  readonly asked: Asked[] = []
  readonly #clickhouse: ClickHouse
  readonly #signal: AbortSignal | undefined
  #holdsExpressions = false

  constructor(clickhouse: ClickHouse, signal?: AbortSignal) {
    this.#clickhouse = clickhouse
    this.#signal = signal
  }

  /** From now on statements may hold expressions of the asker: what the engine finds wrong with them is the asker's to know. */
  admitExpressions(): void {
    this.#holdsExpressions = true
  }

  async ask<Row>(question: Fragment): Promise<Row[]> {
    try {
      const { rows, readRows, elapsedMs } = await this.#clickhouse.query<Row>(question, { signal: this.#signal })
      this.asked.push({ statement: render(question), rowsRead: readRows, elapsedMs })
      return rows
    } catch (error) {
      if (error instanceof ClickHouseFailure && error.kind === 'too_heavy') throw new ApiError('query_too_heavy')
      if (error instanceof ClickHouseFailure && error.kind === 'unavailable') throw new ApiError('unavailable')
      throw this.#holdsExpressions ? inWordsOfTheAsker(error) : error
    }
  }
}
