/** What the parts of the grammar need of each other. */
import type { Expression, Order, Query } from './ast.ts'
import type { Cursor } from './cursor.ts'

export interface Grammar {
  readonly cursor: Cursor
  expression(): Expression
  /** An expression that may have a name: `x AS y`. */
  aliased(): Expression
  order(): Order
  /** A name that is no keyword. */
  name(): string
  startsName(): boolean
  query(): Query
}

/** Words that end an expression: they are never names unless quoted. */
export const RESERVED = new Set(
  `SELECT FROM WHERE PREWHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT JOIN ON USING INNER LEFT RIGHT FULL CROSS ANY ALL
  ASOF SEMI ANTI GLOBAL ARRAY AS AND OR NOT IN LIKE ILIKE BETWEEN IS CASE WHEN THEN ELSE END BY ASC DESC NULLS WITH SETTINGS FORMAT INTO
  SAMPLE WINDOW QUALIFY DISTINCT`.split(/\s+/),
)

/** Keywords that are functions too: and(a, b), left(text, 3). */
export const KEYWORD_FUNCTIONS = new Set([
  'ANY',
  'LEFT',
  'RIGHT',
  'AND',
  'OR',
  'IN',
  'LIKE',
  'ILIKE',
  'ARRAY',
  'FORMAT',
])

/** As written, and the one name each has. */
export const COMPARISONS: Readonly<Record<string, string>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '~': '=~',
  '=~': '=~',
  '!~': '!~',
  '~*': '=~*',
  '=~*': '=~*',
  '!~*': '!~*',
}
