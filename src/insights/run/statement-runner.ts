/** Runs finished statements in the engine, under the limits of a question, and notes what they cost. */
import { type ClickHouse, ClickHouseFailure, type Settings } from '../../engines/clickhouse/index.ts'
import { type Fragment, render, type Statement } from '../../engines/clickhouse-sql.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { explainedToClient } from './engine-words.ts'

/**
 * Questions only read. Unlike the embedded engine, a server continues when the client has gone, unless it is told not
 * to.
 */
export const READING: Settings = { readonly: 2, cancel_http_readonly_queries_on_client_close: 1 }
/** No chart shows more rows than this. */
export const ROWS_OF_AN_INSIGHT: Settings = { max_result_rows: 500_000, result_overflow_mode: 'throw' }
/** However an engine is configured, a question ends. */
const MOST_SECONDS = 60

export interface Asked {
  readonly statement: Statement
  readonly rowsRead: number
  readonly elapsedMs: number
}

interface Table {
  /** Of its columns, in their order. */
  readonly types: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly asked: Asked
}

/**
 * Between two blocks the engine checks whether it has to stop. Where an expression or a pattern of a client may cost
 * much for each row, blocks are small.
 */
export const SMALL_BLOCKS = { max_block_size: 1_024, max_joined_block_size_rows: 8_192 } satisfies Settings
/** Dates in the texts of an expression are read in every form people write them. */
const OF_EXPRESSIONS: Settings = {
  ...SMALL_BLOCKS,
  cast_string_to_date_time_mode: 'best_effort',
  function_range_max_elements_in_block: 50_000_000,
  // NULL is in a query that holds NULL, and in no other.
  transform_null_in: 1,
}

/** Runs the statements of one question, and keeps each with its cost, for `explain` and for the totals. */
export class StatementRunner {
  readonly asked: Asked[] = []
  readonly #clickhouse: ClickHouse
  readonly #signal: AbortSignal | undefined
  readonly #bounds: Settings
  #holdsExpressions = false
  #holdsPatterns = false

  constructor(clickhouse: ClickHouse, signal?: AbortSignal, bounds: Settings = {}) {
    this.#clickhouse = clickhouse
    this.#signal = signal
    this.#bounds = bounds
  }

  /**
   * From now on statements may contain expressions of the client, who is told what the engine finds wrong with them.
   */
  admitExpressions(): void {
    this.#holdsExpressions = true
  }

  /** From now on statements may contain regular expressions of the client. */
  admitPatterns(): void {
    this.#holdsPatterns = true
  }

  #settings(): Settings {
    return {
      ...READING,
      ...this.#bounds,
      ...(this.#holdsPatterns ? SMALL_BLOCKS : {}),
      ...(this.#holdsExpressions ? OF_EXPRESSIONS : {}),
    }
  }

  async ask<Row>(statement: Fragment): Promise<Row[]> {
    try {
      return (await this.#run<Row>(statement, this.#settings())).rows
    } catch (error) {
      throw this.#holdsExpressions ? explainedToClient(error) : error
    }
  }

  /**
   * Runs a statement that a client wrote, whose columns only the engine knows. `queryId` is the name it can be
   * cancelled by.
   */
  async table(statement: Fragment, settings: Settings, queryId?: string): Promise<Table> {
    try {
      const { rows, columns, asked } = await this.#run<Record<string, unknown>>(statement, settings, queryId)
      const names = columns.map(({ name }) => name)
      return {
        types: columns.map(({ type }) => type),
        rows: rows.map((row) => names.map((name) => row[name])),
        asked,
      }
    } catch (error) {
      throw explainedToClient(error)
    }
  }

  async #run<Row>(statement: Fragment, settings: Settings, queryId?: string) {
    try {
      const { rows, columns, readRows, elapsedMs } = await this.#clickhouse.query<Row>(statement, {
        signal: this.#signal,
        settings,
        maxSeconds: MOST_SECONDS,
        ...(queryId === undefined ? {} : { queryId }),
      })
      const asked: Asked = { statement: render(statement), rowsRead: readRows, elapsedMs }
      this.asked.push(asked)
      return { rows, columns, asked }
    } catch (error) {
      if (error instanceof ClickHouseFailure && error.kind === 'too_heavy')
        throw new InvalidQuery(undefined, [], 'query_too_heavy')
      throw error
    }
  }
}
