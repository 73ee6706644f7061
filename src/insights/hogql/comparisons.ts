/**
 * What a comparison answers where a side is NULL: yes or no, never NULL. Two missing values are equal, a missing one
 * differs from every other, and nothing is less or greater than it. Only what may be NULL is wrapped for it, so that a
 * comparison the engine can answer by its indexes stays one.
 */
import { type Fragment, sql, Fragment as Text } from '../../engines/clickhouse-sql.ts'

export interface Side {
  readonly value: Fragment
  readonly nullable: boolean
  /** NULL itself, as written. */
  readonly isNull: boolean
}

/**
 * `value`: the answer itself is asked for. `condition`: only whether it is true, so NULL does as well as no. `join`: the
 * condition of a join, which the engine has to see as it is.
 */
export type Use = 'value' | 'condition' | 'join'

interface Comparison {
  written(left: Fragment, right: Fragment): Fragment
  /** The answer when exactly one side is NULL, and when both are. */
  readonly oneNull: boolean
  readonly bothNull: boolean
}

const infix = (words: string) => {
  const operator = new Text([words], [])
  return (left: Fragment, right: Fragment) => sql`(${left} ${operator} ${right})`
}
const like = (words: string): Comparison => ({ written: infix(words), oneNull: false, bothNull: true })
const unlike = (words: string): Comparison => ({ written: infix(words), oneNull: true, bothNull: false })
const ordered = (words: string): Comparison => ({ written: infix(words), oneNull: false, bothNull: false })

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': like('='),
  '!=': unlike('!='),
  '<': ordered('<'),
  '<=': ordered('<='),
  '>': ordered('>'),
  '>=': ordered('>='),
  LIKE: like('LIKE'),
  ILIKE: like('ILIKE'),
  'NOT LIKE': unlike('NOT LIKE'),
  'NOT ILIKE': unlike('NOT ILIKE'),
  '=~': { written: (text, pattern) => sql`match(${text}, ${pattern})`, oneNull: false, bothNull: true },
  '!~': { written: (text, pattern) => sql`(NOT match(${text}, ${pattern}))`, oneNull: true, bothNull: false },
}

export const isComparison = (operator: string): boolean => Object.hasOwn(COMPARISONS, operator)

export function compared(operator: string, left: Side, right: Side, use: Use): Fragment {
  const { written, oneNull, bothNull } = COMPARISONS[operator] as Comparison
  if (left.isNull || right.isNull) {
    if (oneNull === bothNull) return no
    const other = left.isNull ? right : left
    return bothNull ? sql`isNull(${other.value})` : sql`isNotNull(${other.value})`
  }
  const plain = written(left.value, right.value)
  if (use === 'join' || (!left.nullable && !right.nullable)) return plain
  if (left.nullable && right.nullable && oneNull !== bothNull) {
    const [a, b] = [left.value, right.value]
    return bothNull
      ? sql`ifNull(${plain}, isNull(${a}) AND isNull(${b}))`
      : sql`ifNull(${plain}, isNotNull(${a}) OR isNotNull(${b}))`
  }
  return orElse(plain, oneNull, use)
}

/** The condition, or `otherwise` where it is NULL. */
export function orElse(condition: Fragment, otherwise: boolean, use: Use): Fragment {
  if (use === 'join' || (use === 'condition' && !otherwise)) return condition
  return sql`ifNull(${condition}, ${otherwise ? yes : no})`
}

const no = sql`0`
const yes = sql`1`
