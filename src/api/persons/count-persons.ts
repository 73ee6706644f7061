import type { Sql, Statements, TransactionSql } from '../../engines/postgres/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { personCondition } from './person-filter.ts'

/**
 * How many persons a list has. Up to `MANY` they are counted each time. Counting millions takes as long as there are
 * persons, so a larger number is kept: for a minute it counts as it is, afterwards it is counted again behind an answer
 * that still has it. A count that would take longer than `LONGEST_MS` gives the estimate of Postgres' planner.
 */
type Condition = ReturnType<typeof personCondition>

const MANY = 100_000
const LONGEST_MS = 3_000
const MOST_KEPT = 1_000
const CANCELLED = '57014'

interface Kept {
  readonly count: number
  readonly at: number
}

export class PersonCounts {
  readonly #kept = new Map<string, Kept>()
  readonly #counting = new Set<string>()

  /** `list` names the list; `condition` makes its condition for a connection. Within a transaction on one snapshot. */
  async count(
    { sql, tx }: { readonly sql: Sql; readonly tx: TransactionSql },
    list: string,
    condition: (sql: Statements) => Condition,
  ): Promise<number> {
    const kept = this.#kept.get(list)
    if (kept === undefined) return this.#keep(list, await countIn(tx, condition))
    if (Date.now() - kept.at > MINUTE && !this.#counting.has(list)) void this.#countAgain(sql, list, condition)
    return kept.count
  }

  #keep(list: string, count: number): number {
    this.#kept.delete(list)
    if (count <= MANY) return count
    this.#kept.set(list, { count, at: Date.now() })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break
      this.#kept.delete(oldest)
    }
    return count
  }

  async #countAgain(sql: Sql, list: string, condition: (sql: Statements) => Condition): Promise<void> {
    this.#counting.add(list)
    try {
      this.#keep(list, await sql.begin((tx) => countIn(tx, condition), 'snapshot'))
    } catch {
      // It is counted at the next look.
    } finally {
      this.#counting.delete(list)
    }
  }
}

async function countIn(tx: TransactionSql, condition: (sql: Statements) => Condition): Promise<number> {
  try {
    return await tx.savepoint(async (inner) => {
      await inner`SELECT set_config('statement_timeout', ${String(LONGEST_MS)}, true)`
      const [row] = await inner<[{ count: number }]>`SELECT count(*) AS count FROM persons p WHERE ${condition(inner)}`
      return row.count
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== CANCELLED) throw error
    return estimateIn(tx, condition)
  }
}

async function estimateIn(tx: TransactionSql, condition: (sql: Statements) => Condition): Promise<number> {
  const [row] = await tx<[{ 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] }]>`
    EXPLAIN (FORMAT JSON) SELECT 1 FROM persons p WHERE ${condition(tx)}`
  return row['QUERY PLAN'][0].Plan['Plan Rows']
}
