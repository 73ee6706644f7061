/**
 * The functions a query may use: those that compute, and none that reaches a file, a network, another table or the
 * server itself. functions/ lists them by family, one row each.
 */
import { AGGREGATES } from './functions/aggregates.ts'
import { CONVERSIONS } from './functions/conversions.ts'
import { DATES } from './functions/dates.ts'
import { DOCUMENTS } from './functions/documents.ts'
import { LISTS } from './functions/lists.ts'
import { LOGIC } from './functions/logic.ts'
import { NUMBERS } from './functions/numbers.ts'
import { PATTERNS } from './functions/patterns.ts'
import { PRODUCT } from './functions/product.ts'
import type { FunctionRow, Nulls } from './functions/row.ts'
import { TEXTS } from './functions/texts.ts'
import { VECTORS } from './functions/vectors.ts'
import { WINDOWS } from './functions/windows.ts'

export const FUNCTIONS: readonly FunctionRow[] = [
  ...AGGREGATES,
  ...WINDOWS,
  ...LOGIC,
  ...NUMBERS,
  ...TEXTS,
  ...PATTERNS,
  ...DATES,
  ...LISTS,
  ...DOCUMENTS,
  ...CONVERSIONS,
  ...VECTORS,
  ...PRODUCT,
]

const BY_NAME = new Map(FUNCTIONS.map((row) => [row.name, row]))
const BY_LOWER = new Map(FUNCTIONS.map((row) => [row.name.toLowerCase(), row]))

/** What may follow the name of an aggregate, also several of them: sumIf, groupArrayDistinctIf. */
export const COMBINATORS = [
  'If',
  'Distinct',
  'OrNull',
  'OrDefault',
  'Array',
  'ForEach',
  'Map',
  'State',
  'Merge',
  'MergeState',
  'ArgMin',
  'ArgMax',
] as const
const ENDS = new RegExp(`^(.+?)(${COMBINATORS.join('|')})$`, 'i')
const MOST_COMBINATORS = 3

export interface KnownFunction {
  /** As the engine spells it. */
  readonly name: string
  readonly row: FunctionRow
  /** Of an aggregate, the innermost first. */
  readonly combinators: readonly string[]
}

/** A function by its name in any case; undefined when queries may not use it. */
export function functionOf(name: string): KnownFunction | undefined {
  const row = BY_NAME.get(name) ?? BY_LOWER.get(name.toLowerCase())
  return row ? { name: row.name, row, combinators: [] } : combined(name, MOST_COMBINATORS)
}

function combined(name: string, left: number): KnownFunction | undefined {
  const [, start = '', end = ''] = ENDS.exec(name) ?? []
  if (start === '' || left === 0) return undefined
  const row = BY_NAME.get(start) ?? BY_LOWER.get(start.toLowerCase())
  const inner = row ? { name: row.name, row, combinators: [] } : combined(start, left - 1)
  if (inner?.row.family !== 'aggregates') return undefined
  const combinator = COMBINATORS.find((each) => each.toLowerCase() === end.toLowerCase()) as string
  return { name: inner.name + combinator, row: inner.row, combinators: [...inner.combinators, combinator] }
}

/** The name as the engine spells it; undefined when queries may not use it. */
export const knownFunction = (name: string): string | undefined => functionOf(name)?.name

/** Functions that take numbers and nothing else: a property given to one means the number in it. */
export const isOfNumbers = (name: string): boolean => functionOf(name)?.row.numbers === true

export const isAggregate = (name: string): boolean => functionOf(name)?.row.family === 'aggregates'

/** When a call may answer NULL. What is not known may. */
export function nullsOf(name: string): Nulls {
  const known = functionOf(name)
  if (!known || known.combinators.some((each) => each === 'OrNull' || each === 'Merge')) return 'always'
  return known.combinators.some((each) => each.endsWith('State')) ? 'never' : known.row.nulls
}
