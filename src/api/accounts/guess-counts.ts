import { createHash } from 'node:crypto'
import type { Sql } from '../../engines/postgres/index.ts'
import { SlidingWindow } from '../../http/sliding-window.ts'
import { MINUTE } from '../../lib/durations.ts'

/** How many attempts there are for one name (an address, an e-mail, or both) in a quarter of an hour. */
export interface GuessLimit {
  readonly name: string
  readonly most: number
}

export const QUARTER_HOUR = 15 * MINUTE

/** In the memory of the only process. */
export class GuessCounts {
  /** One for each limit. */
  readonly #windows = new Map<number, SlidingWindow>()

  /**
   * Counts an attempt for each name that has some left, before anything is awaited: attempts made at the same time
   * count like attempts made one after the other. Returns for each how many ms it has to wait; 0 when it was counted.
   */
  async count(limits: readonly GuessLimit[], at: number): Promise<number[]> {
    return limits.map((limit) => {
      const window = this.#window(limit)
      const wait = window.waitMs(limit.name, at)
      if (wait === 0) window.count(limit.name, at)
      return wait
    })
  }

  async takeBack(limits: readonly GuessLimit[], at: number): Promise<void> {
    for (const limit of limits) this.#window(limit).takeBack(limit.name, at)
  }

  async forget(limit: GuessLimit): Promise<void> {
    this.#window(limit).forget(limit.name)
  }

  #window({ most }: GuessLimit): SlidingWindow {
    const window = this.#windows.get(most) ?? new SlidingWindow(most, QUARTER_HOUR)
    this.#windows.set(most, window)
    return window
  }
}

/** In Postgres, for several processes: of attempts made in two of them at the same time, one waits for the other. */
export class SharedGuessCounts implements Pick<GuessCounts, 'count' | 'takeBack' | 'forget'> {
  readonly #sql: Sql
  #cleanedAt = 0

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async count(limits: readonly GuessLimit[], at: number): Promise<number[]> {
    await this.#clean(at)
    const since = at - QUARTER_HOUR
    const names = limits.map(hashOf)
    // In one order, so that two processes never wait for each other. A row of `excluded` holds the limit.
    const counted = await this.#sql<{ name: string }[]>`
      INSERT INTO sign_in_attempts AS old (name, moments, most)
      SELECT decode(name, 'hex'), ARRAY[${at}::bigint], most
      FROM unnest(${names}::text[], ${limits.map(({ most }) => most)}::int[]) AS new (name, most) ORDER BY name
      ON CONFLICT (name) DO UPDATE SET last_at = now(),
        moments = ARRAY(SELECT moment FROM unnest(old.moments) AS moment WHERE moment > ${since}) || excluded.moments
        WHERE (SELECT count(*) FROM unnest(old.moments) AS moment WHERE moment > ${since}) < excluded.most
      RETURNING encode(name, 'hex') AS name`
    if (counted.length === limits.length) return limits.map(() => 0)
    const isCounted = new Set(counted.map(({ name }) => name))
    const oldest = await this.#oldest(names, since)
    return names.map((name) => (isCounted.has(name) ? 0 : Math.max(1, (oldest.get(name) ?? since) - since)))
  }

  async takeBack(limits: readonly GuessLimit[], at: number): Promise<void> {
    await this.#sql`
      UPDATE sign_in_attempts SET
        moments = moments[:array_position(moments, ${at}) - 1] || moments[array_position(moments, ${at}) + 1:]
      WHERE name IN (
        SELECT name FROM sign_in_attempts WHERE name IN (SELECT decode(unnest(${limits.map(hashOf)}::text[]), 'hex'))
        ORDER BY name FOR UPDATE)
        AND array_position(moments, ${at}) IS NOT NULL`
  }

  async forget(limit: GuessLimit): Promise<void> {
    await this.#sql`DELETE FROM sign_in_attempts WHERE name = decode(${hashOf(limit)}, 'hex')`
  }

  async #oldest(names: string[], since: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#sql<{ name: string; oldest: number | null }[]>`
      SELECT encode(name, 'hex') AS name, (SELECT min(moment) FROM unnest(moments) AS moment WHERE moment > ${since}) AS oldest
      FROM sign_in_attempts WHERE name IN (SELECT decode(unnest(${names}::text[]), 'hex'))`
    return new Map(rows.map(({ name, oldest }) => [name, oldest ?? since]))
  }

  /** Each address has a few attempts, so there are not many rows; those that count for nothing any more go. */
  async #clean(at: number): Promise<void> {
    if (at - this.#cleanedAt < MINUTE) return
    this.#cleanedAt = at
    await this.#sql`
      DELETE FROM sign_in_attempts WHERE name IN (
        SELECT name FROM sign_in_attempts WHERE last_at < now() - interval '15 minutes' FOR UPDATE SKIP LOCKED)`
  }
}

const hashOf = ({ name }: GuessLimit): string => createHash('sha256').update(name).digest('hex')
