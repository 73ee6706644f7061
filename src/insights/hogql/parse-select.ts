/** One SELECT, clause by clause. */
import type { Expression, Item, Query, Select, Window } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { sqlError } from './error.ts'
import { readWindow } from './parse-call.ts'
import { ExpressionParser } from './parse-expression.ts'
import { readTables } from './parse-tables.ts'

export class SelectParser {
  readonly #cursor: Cursor
  readonly #expressions: ExpressionParser

  constructor(cursor: Cursor, readQuery: (cursor: Cursor) => Query) {
    this.#cursor = cursor
    this.#expressions = new ExpressionParser(cursor, readQuery)
  }

  select(): Select {
    const cursor = this.#cursor
    const { expression, order } = this.#expressions
    const named = this.#with()
    if (!cursor.takeWord('SELECT')) throw cursor.unexpected('SELECT')
    const distinct = cursor.takeWord('DISTINCT')
    const items = this.#items()
    const tables = readTables(this.#expressions, this.item)
    const prewhere = cursor.takeWord('PREWHERE') ? expression() : null
    const where = cursor.takeWord('WHERE') ? expression() : null
    const groupBy = cursor.takeWord('GROUP', 'BY') ? cursor.list(expression) : []
    const having = cursor.takeWord('HAVING') ? expression() : null
    const windows = cursor.takeWord('WINDOW') ? this.#windows() : undefined
    const qualify = cursor.takeWord('QUALIFY') ? expression() : null
    const orderBy = cursor.takeWord('ORDER', 'BY') ? cursor.list(order) : []
    const limits = this.#limits()
    return {
      kind: 'select',
      ...named,
      distinct,
      items,
      ...tables,
      prewhere,
      where,
      groupBy,
      having,
      windows,
      qualify,
      orderBy,
      ...limits,
    }
  }

  #with(): Pick<Select, 'tables' | 'values'> {
    const tables = new Map<string, Query>()
    const values = new Map<string, Expression>()
    const cursor = this.#cursor
    if (cursor.takeWord('WITH'))
      cursor.list(() => {
        const named = this.#expressions.startsName() || cursor.isWord('FINAL')
        if (named && cursor.isSymbol('(', 2) && /^as$/i.test(cursor.peek(1).text)) {
          const name = this.#expressions.name()
          cursor.expectWord('AS')
          cursor.expectSymbol('(')
          tables.set(name, this.#expressions.query())
          cursor.expectSymbol(')')
        } else {
          const value = this.#expressions.expression()
          cursor.expectWord('AS')
          values.set(this.#expressions.name(), value)
        }
      })
    return { tables, values }
  }

  /** A comma after the last column is no mistake. */
  #items(): Item[] {
    const items = [this.item()]
    while (this.#cursor.takeSymbol(',')) {
      if (this.#cursor.isWord('FROM')) break
      items.push(this.item())
    }
    return items
  }

  item = (): Item => {
    const { start } = this.#cursor.peek()
    const of = this.#expressions.expression()
    const text = this.#cursor.text.slice(start, this.#cursor.end).trim()
    const alias = this.#cursor.takeWord('AS')
      ? this.#expressions.anyName()
      : this.#expressions.startsName()
        ? this.#expressions.name()
        : null
    return { of, alias, text }
  }

  #windows(): ReadonlyMap<string, Window> {
    const windows = this.#cursor.list((): [string, Window] => {
      const name = this.#expressions.name()
      this.#cursor.expectWord('AS')
      return [name, readWindow(this.#expressions)]
    })
    return new Map(windows)
  }

  /** LIMIT n [OFFSET m] BY x, LIMIT n [OFFSET m] [WITH TIES], LIMIT m, n, OFFSET m. */
  #limits(): Pick<Select, 'limitBy' | 'limit' | 'offset' | 'withTies'> {
    const cursor = this.#cursor
    const { expression } = this.#expressions
    let limitBy: Select['limitBy'] = null
    let limit: Expression | null = null
    let offset: Expression | null = null
    let withTies = false
    while (cursor.isWord('LIMIT')) {
      const { place } = cursor
      cursor.next()
      const first = expression()
      const second = cursor.takeSymbol(',') ? expression() : null
      const after = second === null && cursor.takeWord('OFFSET') ? expression() : null
      const [count, from] = second === null ? [first, after] : [second, first]
      if (cursor.takeWord('BY')) {
        if (limitBy !== null || limit !== null) throw sqlError('LIMIT ... BY stands once, before LIMIT.', place)
        limitBy = { count, offset: from, by: cursor.list(expression) }
        continue
      }
      if (limit !== null) throw sqlError('LIMIT stands once.', place)
      limit = count
      offset = from
      withTies = cursor.takeWord('WITH', 'TIES')
    }
    if (offset === null && cursor.takeWord('OFFSET')) offset = expression()
    return { limitBy, limit, offset, withTies }
  }
}
