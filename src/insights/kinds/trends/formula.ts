/**
 * Formulas over series: letters (A is the first), numbers, + - * / ^ and parentheses. Anything else in the text is
 * ignored, as upstream does.
 *
 *   sum     = product (("+" | "-") product)*
 *   product = power (("*" | "/") power)*
 *   power   = sign ("^" power)?
 *   sign    = "-" sign | "+" sign | "(" sum ")" | number | letter
 */
import { InvalidQuery } from '../../../lib/invalid-input.ts'

export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'series'; readonly index: number }
  | { readonly kind: 'negate'; readonly of: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: '+' | '-' | '*' | '/' | '^'
      readonly left: Expression
      readonly right: Expression
    }

const IGNORED = /[^A-Za-z0-9.+\-*/^()]/g
const TOKEN = /\d+(?:\.\d+)?|\.\d+|[A-Za-z]|[-+*/^()]/g
const MAX_DEPTH = 100

export function parseFormula(text: string): Expression {
  const tokens = text.replace(IGNORED, ' ').match(TOKEN) ?? []
  let at = 0
  const refuse = (): never => {
    throw new InvalidQuery(`The formula "${text}" cannot be read: write it like "A / (B + 1)".`, [
      'trendsFilter',
      'formula',
    ])
  }

  function leftAssociative(
    operators: readonly string[],
    next: (depth: number) => Expression,
    depth: number,
  ): Expression {
    let left = next(depth)
    while (operators.includes(tokens[at] ?? '')) {
      const operator = tokens[at++] as '+' | '-' | '*' | '/'
      left = { kind: 'binary', operator, left, right: next(depth) }
    }
    return left
  }
  const sum = (depth: number): Expression => leftAssociative(['+', '-'], product, depth)
  const product = (depth: number): Expression => leftAssociative(['*', '/'], power, depth)

  function power(depth: number): Expression {
    const left = sign(depth)
    if (tokens[at] !== '^') return left
    at++
    return { kind: 'binary', operator: '^', left, right: power(depth + 1) }
  }

  function sign(depth: number): Expression {
    if (depth > MAX_DEPTH) return refuse()
    const token = tokens[at++]
    if (token === undefined) return refuse()
    if (token === '-') return { kind: 'negate', of: power(depth + 1) }
    if (token === '+') return power(depth + 1)
    if (token === '(') {
      const inside = sum(depth + 1)
      if (tokens[at++] !== ')') return refuse()
      return inside
    }
    if (/[A-Za-z]/.test(token)) return { kind: 'series', index: token.toUpperCase().charCodeAt(0) - 65 }
    if (/\d/.test(token)) return { kind: 'number', value: Number(token) }
    return refuse()
  }

  const expression = sum(0)
  return at === tokens.length ? expression : refuse()
}

export function lettersIn(expression: Expression): number[] {
  switch (expression.kind) {
    case 'number':
      return []
    case 'series':
      return [expression.index]
    case 'negate':
      return lettersIn(expression.of)
    case 'binary':
      return [...lettersIn(expression.left), ...lettersIn(expression.right)]
  }
}

/** A division by zero, or anything else that is no number, is 0. */
export function evaluate(expression: Expression, seriesAt: (index: number) => number): number {
  const value = compute(expression, seriesAt)
  return Number.isFinite(value) ? value : 0
}

function compute(expression: Expression, seriesAt: (index: number) => number): number {
  switch (expression.kind) {
    case 'number':
      return expression.value
    case 'series':
      return seriesAt(expression.index)
    case 'negate':
      return -compute(expression.of, seriesAt)
    case 'binary': {
      const left = compute(expression.left, seriesAt)
      const right = compute(expression.right, seriesAt)
      switch (expression.operator) {
        case '+':
          return left + right
        case '-':
          return left - right
        case '*':
          return left * right
        case '/':
          return right === 0 ? 0 : left / right
        case '^':
          return left ** right
      }
    }
  }
}
