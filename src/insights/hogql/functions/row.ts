/**
 * A function of the language is one row: its name, its arguments, an example and what that answers, and, where they
 * differ from the ordinary, when it may answer NULL and what it may cost. The list of functions, their bounds, the
 * documentation and the test that runs every example against the engine are made from these rows.
 */

/** When a call may answer NULL: never, when any or all of its arguments may be NULL, or whatever they are. */
export type Nulls = 'never' | 'like-arguments' | 'like-all-arguments' | 'always'

/**
 * What a call may cost. `row` is a pass through its arguments; everything else is counted (a statement may hold so many
 * of them) and has the bound that bounded-calls.ts writes into the statement.
 */
export type Cost =
  | 'row'
  | 'list'
  | 'document'
  | 'scan'
  | 'pairs'
  | 'ranges'
  | 'sort'
  | 'fold'
  | 'reduce'
  | 'pattern'
  | 'short text'
  | 'two texts'
  | 'series'
  | 'slots'

/** An argument that says how large the answer is: up to `most`, or that many bytes with those of `times` repeated. */
export interface Growth {
  readonly by: number
  readonly most: number
  readonly times?: number
}

export type Family =
  | 'logic'
  | 'numbers'
  | 'conversions'
  | 'texts'
  | 'patterns and URLs'
  | 'dates and times'
  | 'lists'
  | 'documents and maps'
  | 'vectors and places'
  | 'product'
  | 'aggregates'
  | 'windows'

export interface FunctionRow {
  readonly name: string
  readonly family: Family
  /** As documentation shows them; a parametric aggregate writes both pairs of parentheses. */
  readonly args: string
  /** An expression; of aggregates and windows, over a table with the numbers 0 to 4 in `n`. */
  readonly example: string
  /** What the example answers; of windows, one value for each of the five rows. */
  readonly answer: unknown
  readonly nulls: Nulls
  readonly cost: Cost
  readonly grows?: Growth
  /** An aggregate that keeps every value it sees: `size` says how many with its parameter, a `list` or `text` grows. */
  readonly collects?: Collects
  /** An aggregate whose state grows with what it sees, as far as the memory of a query goes. */
  readonly keeps?: Keeps
  /** Takes numbers and nothing else: a property given to it means the number in it. */
  readonly numbers: boolean
  /** Its first argument is a time in whole seconds. */
  readonly seconds: boolean
}

export type Collects = 'size' | 'list' | 'text'
export type Keeps = 'values' | 'different values' | 'keys' | 'rows'

export interface Traits {
  readonly collects?: Collects
  readonly keeps?: Keeps
  readonly nulls?: Nulls
  readonly cost?: Cost
  readonly grows?: Growth
  readonly numbers?: true
  readonly seconds?: true
}

export type Written = readonly [name: string, args: string, example: string, answer: unknown, traits?: Traits]

export const functionsOf = (family: Family, rows: readonly Written[]): FunctionRow[] =>
  rows.map(([name, args, example, answer, traits]) => ({
    name,
    family,
    args,
    example,
    answer,
    nulls: 'like-arguments',
    cost: 'row',
    numbers: false,
    seconds: false,
    ...traits,
  }))
