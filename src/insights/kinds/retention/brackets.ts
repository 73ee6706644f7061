/** What the cells of a row stand for: each interval by itself, or several of them together. */
import { type Fragment, join, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'

/** Intervals after the one of coming, both ends counted. */
export interface Bracket {
  readonly from: number
  readonly to: number
}

/** The interval of coming, then so many at a time. */
export function bracketsOf(sizes: readonly number[]): Bracket[] {
  const brackets: Bracket[] = [{ from: 0, to: 0 }]
  for (const size of sizes) {
    const from = (brackets.at(-1)?.to ?? 0) + 1
    brackets.push({ from, to: from + size - 1 })
  }
  return brackets
}

interface Table {
  readonly period: string
  readonly brackets: readonly Bracket[] | undefined
}

export function cellLabel({ period, brackets }: Table, cell: number): string {
  const { from, to } = brackets?.[cell] ?? { from: cell, to: cell }
  return from === to ? `${period} ${from}` : `${period} ${from}-${to}`
}

/** How many cells a row has of which something can be known: what begins within the table. */
export const cellsIn = ({ brackets }: Table, intervals: number): number =>
  brackets === undefined ? intervals : brackets.filter(({ from }) => from < intervals).length

/** Pairs of (came, intervals later) as pairs of (came, cell), each once. */
export function inBrackets(pairs: Fragment, brackets: readonly Bracket[] | undefined): Fragment {
  if (brackets === undefined) return pairs
  const ends = sql`[${join(
    brackets.map(({ to }) => whole(to)),
    ', ',
  )}]`
  return sql`arrayDistinct(arrayFilter(cell -> cell.2 >= 0, arrayMap(pair -> (pair.1, toInt64(arrayFirstIndex(end -> pair.2 <= end, ${ends})) - 1), ${pairs})))`
}
