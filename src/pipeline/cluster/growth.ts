/**
 * Keeps the order of each distinct id when the number of live partitions grows (`service/startup/partitions.ts` writes
 * a growth down, with the ends of the partitions at that moment).
 *
 * For one partition and the oldest growth that is not over:
 *
 *   before   it has records before its end
 *            -> waiting   all of them are applied; its end is removed from the growth
 *   waiting  a new partition begins here
 *            -> passed    no partition has an end left: the growth is over for all
 */
import type { Sql } from '../../engines/postgres/index.ts'
import { pause } from '../../lib/pause.ts'
import { isLivePartition, type LogRange, type Position } from '../../log/index.ts'

interface Growth {
  readonly generation: number
  /** Null when this partition has nothing to apply before it, or has done so. */
  readonly end: Position | null
}

const LOOK_EVERY_MS = 200

export class GrowthGate {
  readonly #sql: Sql
  readonly #partition: string
  #growth: Growth | null = null

  private constructor(sql: Sql, partition: string) {
    this.#sql = sql
    this.#partition = partition
  }

  static async open(sql: Sql, partition: string): Promise<GrowthGate> {
    const gate = new GrowthGate(sql, partition)
    if (isLivePartition(partition)) await gate.#look()
    return gate
  }

  /** The part of a range that may be applied now. */
  allowed(range: LogRange): LogRange {
    if (this.#growth === null) return range
    const end = this.#growth.end ?? range.from
    if (range.next <= end) return range
    return {
      ...range,
      next: Math.max(range.from, end),
      records: range.records.filter(({ position }) => position < end),
    }
  }

  /** Nothing is left before the end: resolves when the others have come as far. */
  async pass(signal: AbortSignal): Promise<void> {
    while (this.#growth !== null && !signal.aborted) {
      const { generation, end } = this.#growth
      if (end !== null)
        await this.#sql`UPDATE log_growths SET ends = ends - ${this.#partition}::text WHERE generation = ${generation}`
      await this.#look()
      if (this.#growth?.generation !== generation) return
      await pause(LOOK_EVERY_MS, signal)
    }
  }

  /** There is a growth that this partition has not passed. */
  get closed(): boolean {
    return this.#growth !== null
  }

  async #look(): Promise<void> {
    const [row] = await this.#sql<Growth[]>`
      SELECT generation, (ends ->> ${this.#partition}::text)::bigint AS end FROM log_growths
      WHERE ends <> '{}' ORDER BY generation LIMIT 1`
    this.#growth = row ?? null
  }
}
