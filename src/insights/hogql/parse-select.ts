/** One SELECT, clause by clause. */
import type { Expression, Item, Query, Select, Star, Window } from './ast.ts'
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
    // SELECT DISTINCT ON (a, b): the first row of each.
    const firstOf = distinct && cursor.takeWord('ON') ? this.#listInBrackets() : null
    const items = this.#items()
    const tables = readTables(this.#expressions, this.item)
    const prewhere = cursor.takeWord('PREWHERE') ? expression() : null
    const where = cursor.takeWord('WHERE') ? expression() : null
    const groups = cursor.takeWord('GROUP', 'BY')
    const groupsByAll = groups && cursor.takeWord('ALL')
    const groupBy = groups && !groupsByAll ? cursor.list(expression) : []
    const having = cursor.takeWord('HAVING') ? expression() : null
    const windows = cursor.takeWord('WINDOW') ? this.#windows() : undefined
    const qualify = cursor.takeWord('QUALIFY') ? expression() : null
    const orderBy = cursor.takeWord('ORDER', 'BY') ? cursor.list(order) : []
    const { limitBy, ...limits } = this.#limits()
    if (firstOf && limitBy) throw sqlError('DISTINCT ON and LIMIT ... BY do not stand together.')
    return {
      kind: 'select',
      ...named,
      distinct: distinct && firstOf === null,
      items,
      ...tables,
      prewhere,
      where,
      groupBy,
      groupsByAll,
      having,
      windows,
      qualify,
      orderBy,
      limitBy: firstOf ? { count: { kind: 'number', text: '1' }, offset: null, by: firstOf } : limitBy,
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
        if (named && this.#startsTable()) {
          const name = this.#expressions.name()
          const columns = cursor.takeSymbol('(') ? this.#names() : null
          cursor.expectWord('AS')
          // Whether it is kept or written out is decided for every query alike.
          cursor.takeWord('NOT')
          cursor.takeWord('MATERIALIZED')
          cursor.expectSymbol('(')
          const query = this.#expressions.query()
          tables.set(name, columns === null ? query : renamed(query, columns))
          cursor.expectSymbol(')')
        } else {
          const value = this.#expressions.expression()
          cursor.expectWord('AS')
          values.set(this.#expressions.name(), value)
        }
      })
    return { tables, values }
  }

  /** name AS (query), name (columns) AS (query), name AS [NOT] MATERIALIZED (query), all of them in any combination. */
  #startsTable(): boolean {
    const cursor = this.#cursor
    const isWord = (word: string, ahead: number) => cursor.peek(ahead).text.toUpperCase() === word
    const isBody = (ahead: number): boolean => {
      const at = isWord('NOT', ahead) ? ahead + 1 : ahead
      return cursor.isSymbol('(', at) || (isWord('MATERIALIZED', at) && cursor.isSymbol('(', at + 1))
    }
    if (isWord('AS', 1)) return isBody(2)
    let at = 2
    while (cursor.isSymbol('(', 1) && cursor.peek(at).kind !== 'end' && !cursor.isSymbol(')', at)) at++
    return cursor.isSymbol(')', at) && isWord('AS', at + 1) && isBody(at + 2)
  }

  #names(): string[] {
    const names = this.#cursor.list(this.#expressions.name)
    this.#cursor.expectSymbol(')')
    return names
  }

  #listInBrackets(): Expression[] {
    this.#cursor.expectSymbol('(')
    const list = this.#cursor.list(this.#expressions.expression)
    this.#cursor.expectSymbol(')')
    return list
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
    const read = this.#expressions.expression()
    const of = read.kind === 'star' ? this.#star(read) : read
    const text = this.#cursor.text.slice(start, this.#cursor.end).trim()
    const alias = this.#cursor.takeWord('AS')
      ? this.#expressions.anyName()
      : this.#expressions.startsName()
        ? this.#expressions.name()
        : null
    return { of, alias, text }
  }

  /** * EXCEPT (a, b), * EXCEPT a, * REPLACE (x AS a) */
  #star(star: Star): Star {
    const cursor = this.#cursor
    const isLeftOut = cursor.isWord('EXCLUDE') || (cursor.isWord('EXCEPT') && !isQuery(cursor))
    if (isLeftOut) {
      cursor.next()
      return this.#star({ ...star, except: cursor.takeSymbol('(') ? this.#names() : [this.#expressions.name()] })
    }
    if (!cursor.isWord('REPLACE') || !cursor.isSymbol('(', 1)) return star
    cursor.next()
    cursor.next()
    const items = cursor.list(this.item)
    cursor.expectSymbol(')')
    const replace = items.map(({ of, alias }): [string, Expression] => {
      if (alias === null) throw sqlError('REPLACE takes values with the names of columns: REPLACE (x AS column).')
      return [alias, of]
    })
    return { ...star, replace: new Map(replace) }
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

/** EXCEPT before another query. */
function isQuery(cursor: Cursor): boolean {
  const at = cursor.isSymbol('(', 1) ? 2 : 1
  return /^(?:SELECT|WITH|DISTINCT)$/i.test(cursor.peek(at).text) || cursor.isSymbol('(', at)
}

/** WITH t (a, b) AS (query): the columns of the query under other names. */
function renamed(query: Query, names: readonly string[]): Query {
  if (query.kind === 'union') return { ...query, first: renamed(query.first, names) }
  if (query.items.length !== names.length || query.items.some(({ of }) => of.kind === 'star'))
    throw sqlError(`WITH names ${names.length} columns: its query has to select as many, one by one.`)
  return { ...query, items: query.items.map((item, i) => ({ ...item, alias: names[i] as string })) }
}
