import { ASKER_OF_PROBES, type ClickHouse, questionsOf, sql } from '../../engines/clickhouse/index.ts'
import { pause } from '../../lib/pause.ts'

/** A small question that waits longer than this is as good as not answered. */
const MOST_MS = 10_000

/**
 * Whether a small question of a project would be answered now: it asks one in a slot of its own, as any project would. One is under way at
 * a time, so probing often costs nothing, and nobody waits for it longer than asked for.
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

  /** Seconds for which a question has not been answered; 0 when it was, or may still be in good time. */
  async unansweredFor(patienceMs: number): Promise<number> {
    this.#asked ??= this.#ask()
    await Promise.race([this.#asked.ended, pause(patienceMs)])
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
