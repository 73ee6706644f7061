import { ASKER_OF_PROBES, type ClickHouse, questionsOf, sql } from '../../engines/clickhouse/index.ts'
import { atMost } from '../../lib/in-time.ts'

/** A small query that waits longer than this counts as not answered. */
const MOST_MS = 10_000

/**
 * Whether a small query of a project would be answered now: runs one in a slot of its own, as any project would. One
 * runs at a time, so frequent probes cost nothing, and a probe never waits longer than its caller allows.
 */
export class QuestionProbe {
  readonly #clickhouse: ClickHouse
  readonly #mostMs: number
  #asked: { readonly since: number; readonly ended: Promise<void> } | null = null
  /** When the engine refused to answer at all; null while it answers. */
  #failingSince: number | null = null

  constructor(clickhouse: ClickHouse, mostMs = MOST_MS) {
    this.#clickhouse = questionsOf(clickhouse, ASKER_OF_PROBES)
    this.#mostMs = mostMs
  }

  /** For how many seconds a query has not been answered; 0 when it was, or is not late yet. */
  async unansweredFor(patienceMs: number): Promise<number> {
    this.#asked ??= this.#ask()
    await atMost(patienceMs, this.#asked.ended)
    const since = Math.min(
      this.#asked?.since ?? Number.POSITIVE_INFINITY,
      this.#failingSince ?? Number.POSITIVE_INFINITY,
    )
    const waited = Date.now() - since
    return waited >= this.#mostMs ? Math.ceil(waited / 1000) : 0
  }

  #ask() {
    const since = Date.now()
    const ended = this.#clickhouse
      .query(sql`SELECT 1`)
      .then(
        () => {
          this.#failingSince = null
        },
        () => {
          this.#failingSince ??= since
        },
      )
      .finally(() => {
        this.#asked = null
      })
    return { since, ended }
  }
}
