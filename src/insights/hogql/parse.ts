import type { Expression, Item, Join, Order, Query, Select, Table } from './ast.ts'
import { Cursor } from './cursor.ts'
import { sqlError } from './error.ts'
import { ExpressionParser } from './parse-expression.ts'

/** One SELECT (with its unions) and nothing else. What the grammar does not know cannot reach the engine. */
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
  return whole(text, (cursor) => new SelectParser(cursor).item())
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

const UNIONS = [['UNION', 'ALL'], ['UNION', 'DISTINCT'], ['INTERSECT'], ['EXCEPT']]

function readQuery(cursor: Cursor): Query {
  return cursor.nested(() => {
    const first = readOperand(cursor)
    const rest: { operator: string; query: Query }[] = []
    for (;;) {
      const words = UNIONS.find((each) => cursor.takeWord(...each))
      if (!words) break
      rest.push({ operator: words.join(' '), query: readOperand(cursor) })
    }
    return rest.length === 0 ? first : { kind: 'union', first, rest }
  })
}

function readOperand(cursor: Cursor): Query {
  if (!cursor.takeSymbol('(')) return new SelectParser(cursor).select()
  const query = readQuery(cursor)
  cursor.expectSymbol(')')
  return query
}

class SelectParser {
  readonly #cursor: Cursor
  readonly #expressions: ExpressionParser

  constructor(cursor: Cursor) {
    this.#cursor = cursor
    this.#expressions = new ExpressionParser(cursor, readQuery)
  }

  select(): Select {
    const cursor = this.#cursor
    const { expression, order } = this.#expressions
    const named = this.#with()
    if (!cursor.takeWord('SELECT')) throw cursor.unexpected('SELECT')
    const distinct = cursor.takeWord('DISTINCT')
    const items = cursor.list(this.item)
    const from = cursor.takeWord('FROM') ? this.#table() : null
    const { joins, arrayJoins } = from ? this.#joins() : { joins: [], arrayJoins: [] }
    const where = cursor.takeWord('WHERE') ? expression() : null
    const groupBy = cursor.takeWord('GROUP', 'BY') ? cursor.list(expression) : []
    const having = cursor.takeWord('HAVING') ? expression() : null
    const orderBy = cursor.takeWord('ORDER', 'BY') ? cursor.list(order) : []
    const limits = this.#limits()
    return {
      kind: 'select',
      ...named,
      distinct,
      items,
      from,
      joins,
      arrayJoins,
      where,
      groupBy,
      having,
      orderBy,
      ...limits,
    }
  }

  #with(): Pick<Select, 'tables' | 'values'> {
    const tables = new Map<string, Query>()
    const values = new Map<string, Expression>()
    if (this.#cursor.takeWord('WITH'))
      this.#cursor.list(() => {
        const isTable =
          this.#expressions.startsName() && this.#cursor.isSymbol('(', 2) && /^as$/i.test(this.#cursor.peek(1).text)
        if (isTable) {
          const name = this.#expressions.name()
          this.#cursor.expectWord('AS')
          this.#cursor.expectSymbol('(')
          tables.set(name, readQuery(this.#cursor))
          this.#cursor.expectSymbol(')')
        } else {
          const value = this.#expressions.expression()
          this.#cursor.expectWord('AS')
          values.set(this.#expressions.name(), value)
        }
      })
    return { tables, values }
  }

  item = (): Item => {
    const { start } = this.#cursor.peek()
    const of = this.#expressions.expression()
    const text = this.#cursor.text.slice(start, this.#cursor.end).trim()
    const alias = this.#cursor.takeWord('AS') || this.#expressions.startsName() ? this.#expressions.name() : null
    return { of, alias, text }
  }

  #table(): Table {
    const cursor = this.#cursor
    const of = cursor.takeSymbol('(') ? this.#subquery() : this.#named(this.#tableName())
    const before = this.#sample()
    const alias = cursor.takeWord('AS') || this.#expressions.startsName() ? this.#expressions.name() : null
    const sample = before ?? this.#sample()
    if (sample !== undefined && (of.kind !== 'table' || of.name !== 'events'))
      throw sqlError('SAMPLE stands after events.')
    return { of, alias, sample: sample === 1 ? undefined : sample }
  }

  /** events, or system.cohorts. */
  #tableName(): string {
    let name = this.#expressions.name()
    while (this.#cursor.takeSymbol('.')) name += `.${this.#expressions.name()}`
    return name
  }

  #named(name: string): Table['of'] {
    const cursor = this.#cursor
    if (!cursor.isSymbol('(')) return { kind: 'table', name }
    if (name.toLowerCase() !== 'numbers')
      throw sqlError(`"${name}" is a table function; only tables of the project and numbers(n) can be read.`)
    cursor.next()
    const first = cursor.integer('numbers')
    const second = cursor.takeSymbol(',') ? cursor.integer('numbers') : null
    cursor.expectSymbol(')')
    return second === null
      ? { kind: 'numbers', from: 0, count: first }
      : { kind: 'numbers', from: first, count: second }
  }

  /** SAMPLE 0.1, or SAMPLE 1/10. */
  #sample(): number | undefined {
    const cursor = this.#cursor
    if (!cursor.isWord('SAMPLE')) return undefined
    cursor.next()
    const number = (): number => (cursor.peek().kind === 'number' ? Number(cursor.next().text) : Number.NaN)
    const share = number() / (cursor.takeSymbol('/') ? number() : 1)
    if (!(share > 0 && share <= 1)) throw sqlError('SAMPLE takes a share of the persons, such as 0.1 or 1/10.')
    return share
  }

  #subquery(): Table['of'] {
    const query = readQuery(this.#cursor)
    this.#cursor.expectSymbol(')')
    return { kind: 'query', query }
  }

  #joins(): { joins: Join[]; arrayJoins: Item[] } {
    const cursor = this.#cursor
    const joins: Join[] = []
    const arrayJoins: Item[] = []
    for (;;) {
      if (cursor.takeWord('ARRAY', 'JOIN')) {
        arrayJoins.push(...cursor.list(this.item))
        continue
      }
      if (cursor.takeSymbol(',')) {
        joins.push({ type: 'CROSS JOIN', table: this.#table(), on: null, using: null })
        continue
      }
      const type = this.#joinType()
      if (type === null) return { joins, arrayJoins }
      const table = this.#table()
      const on = cursor.takeWord('ON') ? this.#expressions.expression() : null
      const using = on === null && cursor.takeWord('USING') ? this.#names() : null
      if (on === null && using === null && type !== 'CROSS JOIN') throw cursor.unexpected('ON or USING')
      joins.push({ type, table, on, using })
    }
  }

  #joinType(): string | null {
    const cursor = this.#cursor
    const side = ['INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS'].find((word) => cursor.isWord(word))
    if (side === undefined && !cursor.isWord('JOIN') && !cursor.isWord('ANY', 'JOIN')) return null
    if (side !== undefined) cursor.next()
    cursor.takeWord('OUTER')
    const any = cursor.takeWord('ANY')
    cursor.expectWord('JOIN')
    return `${side ?? 'INNER'} ${any && side !== 'CROSS' ? 'ANY ' : ''}JOIN`
  }

  #names(): string[] {
    const bracket = this.#cursor.takeSymbol('(')
    const names = this.#cursor.list(this.#expressions.name)
    if (bracket) this.#cursor.expectSymbol(')')
    return names
  }

  #limits(): Pick<Select, 'limitBy' | 'limit' | 'offset'> {
    const cursor = this.#cursor
    let limitBy: Select['limitBy'] = null
    let limit: number | null = null
    let offset: number | null = null
    while (cursor.isWord('LIMIT')) {
      cursor.next()
      const first = cursor.integer('LIMIT')
      const second = cursor.takeSymbol(',') ? cursor.integer('LIMIT') : null
      if (cursor.takeWord('BY')) {
        if (limitBy !== null || limit !== null) throw sqlError('LIMIT ... BY stands once, before LIMIT.')
        limitBy = { count: second ?? first, by: cursor.list(this.#expressions.expression) }
        continue
      }
      if (limit !== null) throw sqlError('LIMIT stands once.')
      limit = second ?? first
      if (second !== null) offset = first
    }
    if (cursor.takeWord('OFFSET')) offset = cursor.integer('OFFSET')
    return { limitBy, limit, offset }
  }
}
