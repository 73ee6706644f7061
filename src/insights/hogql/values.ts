/** What calls and names need of each other: how values are written, and the statement they stand in. */
import { Fragment } from '../../engines/clickhouse-sql.ts'
import type { Named } from '../sql/event-scope.ts'
import type { Expression, Order, Query } from './ast.ts'
import type { CallBudget } from './bounded-calls.ts'
import type { Use } from './comparisons.ts'
import type { SelectScope } from './scope.ts'
import type { Field, ViewContext } from './view.ts'

/** The statement that values stand in. */
export interface Surroundings {
  readonly context: ViewContext
  readonly scope: SelectScope
  query(query: Query): Fragment
  placeholder(path: readonly string[]): Fragment
  /** The name of a window that WINDOW defines. */
  window(name: string): Fragment
  /** Of the whole statement. */
  readonly calls: CallBudget
}

/** The expressions of one SELECT. */
export interface Values {
  readonly around: Surroundings
  readonly isInLambda: boolean
  value(expression: Expression): Fragment
  field(expression: Expression, use?: Use): Field
  /** What may stand in a call: a value, or a lambda. */
  argument(argument: Expression, use?: Use): Field
  list(items: readonly Expression[]): Fragment
  order(order: Order): Fragment
  compare(operator: string, left: Expression, right: Expression, use: Use): Fragment
  namedOf(what: string): Named
}

/** Text of ours: keywords, operators and numbers that were read as such. */
export const plain = (text: string): Fragment => new Fragment([text], [])

export const mayBeNull = ({ nullable }: Field): boolean => nullable !== false
