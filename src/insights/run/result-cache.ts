/**
 * Answers that are still true. An answer is kept with the version of the data it was made of: how far the pipeline has
 * come, how many changes went to ClickHouse through the outbox, and what actions and cohorts mean. An answer that was
 * made while changes were on their way, or while the version moved, is not kept, and none is older than a minute,
 * because "the last seven days" move on by themselves.
 */

import type { Query } from '../../contract/queries/index.ts'
import type { Statements } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { InsightContext } from '../facts/context.ts'
import { roughBytes } from './rough-bytes.ts'

interface CachedAnswer<A> {
  readonly answer: A
  readonly isCached: boolean
  /** When it was calculated, ms since epoch. */
  readonly lastRefresh: number
}

interface Kept<A> {
  readonly answer: A
  readonly madeAt: number
  readonly version: string
  readonly bytes: number
  /** By the clock of the machine, whatever time the question was about. */
  readonly leavesAt: number
}

interface DataVersion {
  readonly version: string
  /** Nothing is on its way. */
  readonly settled: boolean
}

const KEPT_FOR_MS = MINUTE

interface CacheBounds {
  /** Of all answers together; a quarter of it at most for one. */
  readonly mostBytes: number
  readonly keptForMs: number
}
const BOUNDS: CacheBounds = { mostBytes: 64 * 1024 * 1024, keptForMs: KEPT_FOR_MS }

export class ResultCache<A> {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept<A>>()
  readonly #bounds: CacheBounds
  #bytes = 0
  #sweeping: NodeJS.Timeout | undefined

  constructor(bounds: CacheBounds = BOUNDS) {
    this.#bounds = bounds
  }

  get size(): { readonly answers: number; readonly bytes: number } {
    return { answers: this.#kept.size, bytes: this.#bytes }
  }

  /** The answer that is kept, or a new one; always a new one when asked to `refresh`. */
  async answer(
    sql: Statements,
    context: InsightContext,
    query: Query,
    make: () => Promise<A>,
    { refresh = false } = {},
  ): Promise<CachedAnswer<A>> {
    const key = keyOf(context, query)
    const before = await dataVersion(sql)
    const kept = refresh ? undefined : this.#valid(key, before, context.now)
    if (kept !== undefined) return { answer: kept.answer, isCached: true, lastRefresh: kept.madeAt }
    const answer = await make()
    const after = await dataVersion(sql)
    if (before.settled && after.settled && after.version === before.version) {
      this.#keep(key, { answer, madeAt: context.now, version: before.version })
    }
    return { answer, isCached: false, lastRefresh: context.now }
  }

  /** The answer that is kept, if any. */
  async peek(sql: Statements, context: InsightContext, query: Query): Promise<CachedAnswer<A> | undefined> {
    const kept = this.#valid(keyOf(context, query), await dataVersion(sql), context.now)
    return kept && { answer: kept.answer, isCached: true, lastRefresh: kept.madeAt }
  }

  #valid(key: string, { version }: DataVersion, now: number): Kept<A> | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    this.#drop(key, kept)
    if (kept.version !== version || now - kept.madeAt > KEPT_FOR_MS) return undefined
    this.#add(key, kept)
    return kept
  }

  #keep(key: string, made: Pick<Kept<A>, 'answer' | 'madeAt' | 'version'>): void {
    const { mostBytes, keptForMs } = this.#bounds
    const before = this.#kept.get(key)
    if (before) this.#drop(key, before)
    const bytes = roughBytes(made.answer, mostBytes) + key.length * 2
    if (bytes > mostBytes / 4) return
    this.#add(key, { ...made, bytes, leavesAt: Date.now() + keptForMs })
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= mostBytes) break
      this.#drop(oldest, kept)
    }
    this.#sweepLater()
  }

  #add(key: string, kept: Kept<A>): void {
    this.#kept.set(key, kept)
    this.#bytes += kept.bytes
  }

  #drop(key: string, kept: Kept<A>): void {
    this.#kept.delete(key)
    this.#bytes -= kept.bytes
  }

  /** What nobody asks for again leaves by itself. */
  #sweepLater(): void {
    if (this.#sweeping !== undefined || this.#kept.size === 0) return
    this.#sweeping = setTimeout(() => {
      this.#sweeping = undefined
      const now = Date.now()
      for (const [key, kept] of this.#kept) if (kept.leavesAt <= now) this.#drop(key, kept)
      this.#sweepLater()
    }, this.#bounds.keptForMs).unref()
  }
}

const keyOf = ({ project }: InsightContext, query: Query): string =>
  JSON.stringify([
    project.id,
    project.timezone,
    project.week_start_day,
    project.test_account_filters,
    project.channel_rules,
    query,
  ])

/**
 * One snapshot: a batch that the position counts is in the outbox, or already delivered. The sequence alone runs ahead
 * of the commit.
 */
async function dataVersion(sql: Statements): Promise<DataVersion> {
  const [row] = await sql<DataVersion[]>`
    SELECT concat_ws(' ', (SELECT sum(position) FROM pipeline_positions), last_value,
        (SELECT max(version) FROM actions), (SELECT max(version) FROM cohorts)) AS version,
      NOT EXISTS (SELECT 1 FROM clickhouse_outbox) AS settled
    FROM clickhouse_outbox_id_seq`
  return row ?? { version: '', settled: false }
}
