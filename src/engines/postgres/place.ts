import type { Statements } from './sql.ts'

/** The position of a row in a list: the value the list is ordered by, as text, and the id as a tie-breaker. */
export type Place = readonly [value: string | null, id: string]

type Fragment = ReturnType<typeof always>
const always = (sql: Statements) => sql`true`

interface Order {
  readonly column: Fragment
  readonly type: 'timestamptz' | 'text' | 'integer' | 'boolean'
  readonly id: Fragment
  readonly descending: boolean
}

/**
 * The rows after a position in a list that is ordered by the column, nulls last, and then by id in the same direction.
 */
export function isBehind(sql: Statements, { column, type, id, descending }: Order, [value, last]: Place): Fragment {
  const beyond = descending ? sql`<` : sql`>`
  const laterId = sql`${id} ${beyond} ${last}::text::bigint`
  if (value === null) return sql`(${column} IS NULL AND ${laterId})`
  const at = sql`${value}::text::${sql.unsafe(type)}`
  return sql`(${column} ${beyond} ${at} OR ${column} IS NULL OR (${column} = ${at} AND ${laterId}))`
}

export interface Page<T> {
  readonly rows: readonly T[]
  /** Where the page ends. Null when it is not full: then nothing follows. */
  readonly end: Place | null
  readonly hasMore: boolean
}

/** The page from the rows found; one more row than the limit means that there are more. */
export function pageOf<T>(found: readonly T[], limit: number, placeOf: (row: T) => Place): Page<T> {
  const rows = found.slice(0, limit)
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { rows, end: last === undefined ? null : placeOf(last), hasMore: found.length > limit }
}
