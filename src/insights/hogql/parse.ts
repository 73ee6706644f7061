/**
 * The language: one grammar for queries and for the expressions in filters, breakdowns and select lists. docs/SQL.md
 * writes it down. What it does not know cannot reach the engine.
 */
import type { Expression, Item, Order, Query } from './ast.ts'
import { Cursor } from './cursor.ts'
import { ExpressionParser } from './parse-expression.ts'
import { SelectParser } from './parse-select.ts'

/** One SELECT (with its unions) and nothing else. */
export function parseQuery(text: string): Query {
  const cursor = new Cursor(text)
  const query = readQuery(cursor)
  cursor.takeSymbol(';')
  if (cursor.peek().kind !== 'end') throw cursor.unexpected('the end of the query')
  return query
}

/** A single expression, as filters and select lists hold them. */
export function parseExpression(text: string): Expression {
  return whole(text, (cursor) => new ExpressionParser(cursor, readQuery).expression())
}

/** A column as a select list holds it, `expression AS name`, and an order, `expression DESC`. */
export function parseItem(text: string): Item {
  return whole(text, (cursor) => new SelectParser(cursor, readQuery).item())
}

export function parseOrder(text: string): Order {
  return whole(text, (cursor) => new ExpressionParser(cursor, readQuery).order())
}

function whole<T>(text: string, read: (cursor: Cursor) => T): T {
  const cursor = new Cursor(text)
  const found = read(cursor)
  if (cursor.peek().kind !== 'end') throw cursor.unexpected('the end of the expression')
  return found
}

/** As written, and as the engine is told. */
const UNIONS: readonly (readonly [words: readonly string[], operator: string])[] = [
  [['UNION', 'ALL'], 'UNION ALL'],
  [['UNION', 'DISTINCT'], 'UNION DISTINCT'],
  [['UNION'], 'UNION DISTINCT'],
  [['INTERSECT', 'DISTINCT'], 'INTERSECT DISTINCT'],
  [['INTERSECT'], 'INTERSECT'],
  [['EXCEPT', 'DISTINCT'], 'EXCEPT DISTINCT'],
  [['EXCEPT'], 'EXCEPT'],
]

function readQuery(cursor: Cursor): Query {
  return cursor.nested(() => {
    const first = readOperand(cursor)
    const rest: { operator: string; query: Query }[] = []
    for (;;) {
      const union = UNIONS.find(([words]) => cursor.takeWord(...words))
      if (!union) break
      rest.push({ operator: union[1], query: readOperand(cursor) })
    }
    return rest.length === 0 ? first : { kind: 'union', first, rest }
  })
}

function readOperand(cursor: Cursor): Query {
  if (!cursor.takeSymbol('(')) return new SelectParser(cursor, readQuery).select()
  const query = readQuery(cursor)
  cursor.expectSymbol(')')
  return query
}
