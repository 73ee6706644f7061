import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'

/** A value of the request, or undefined when it is none. */
type Given = (path: readonly string[]) => unknown

/** A whole number that is known before the query runs: LIMIT 10, LIMIT (5 * 2), LIMIT {variables.most}. */
export function countOf(expression: Expression, what: string, given: Given): number {
  const count = evaluated(expression, given)
  if (count === undefined || !Number.isSafeInteger(count) || count < 0)
    throw sqlError(`${what} takes a whole number, such as 100.`)
  return count
}

/** The number an expression of numbers makes; undefined when it is not one. */
export function evaluated(expression: Expression, given: Given): number | undefined {
  switch (expression.kind) {
    case 'number':
      return Number(expression.text)
    case 'placeholder': {
      const value = given(expression.path)
      const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
    }
    case 'minus': {
      const of = evaluated(expression.of, given)
      return of === undefined ? undefined : -of
    }
    case 'operator': {
      const [a, b] = [evaluated(expression.left, given), evaluated(expression.right, given)]
      return a === undefined || b === undefined ? undefined : OPERATIONS[expression.operator]?.(a, b)
    }
    default:
      return undefined
  }
}

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
}
