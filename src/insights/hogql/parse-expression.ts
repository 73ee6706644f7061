import type { Expression, Fill, Order, Query } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { sqlError } from './error.ts'
import { COMPARISONS, type Grammar, KEYWORD_FUNCTIONS, RESERVED } from './grammar.ts'
import { readCall, readCase, readInterval, readType, startsInterval } from './parse-call.ts'
import { call } from './written-call.ts'

/** How a query inside an expression is read: the two grammars need each other. */
type ReadQuery = (cursor: Cursor) => Query

/** Expressions, from the operator that binds least to the one that binds most. */
export class ExpressionParser implements Grammar {
  readonly cursor: Cursor
  readonly #readQuery: ReadQuery

  constructor(cursor: Cursor, readQuery: ReadQuery) {
    this.cursor = cursor
    this.#readQuery = readQuery
  }

  query = (): Query => this.#readQuery(this.cursor)

  expression = (): Expression => this.cursor.nested(() => this.#ternary())

  aliased = (): Expression => {
    const of = this.expression()
    return this.cursor.takeWord('AS') ? { kind: 'alias', of, name: this.anyName() } : of
  }

  order = (): Order => {
    const { cursor } = this
    const of = this.expression()
    const direction = cursor.takeWord('DESC') ? ' DESC' : cursor.takeWord('ASC') ? ' ASC' : ''
    const nulls = cursor.takeWord('NULLS', 'FIRST')
      ? ' NULLS FIRST'
      : cursor.takeWord('NULLS', 'LAST')
        ? ' NULLS LAST'
        : ''
    return { of, direction, nulls, fill: cursor.takeWord('WITH', 'FILL') ? this.#fill() : undefined }
  }

  #fill(): Fill {
    const { cursor } = this
    const after = (word: string) => (cursor.takeWord(word) ? this.expression() : null)
    return { from: after('FROM'), to: after('TO'), step: after('STEP') }
  }

  name = (): string => {
    const token = this.cursor.peek()
    if (token.kind !== 'name' && (token.kind !== 'word' || RESERVED.has(token.text.toUpperCase())))
      throw this.cursor.unexpected('a name')
    return this.cursor.next().text
  }

  /** Where nothing but a name can stand, also a keyword. */
  anyName = (): string => (this.cursor.peek().kind === 'word' ? this.cursor.next().text : this.name())

  /** FINAL after a table is no name of it. */
  startsName(): boolean {
    const { kind, text } = this.cursor.peek()
    return kind === 'name' || (kind === 'word' && !RESERVED.has(text.toUpperCase()) && text.toUpperCase() !== 'FINAL')
  }

  #ternary(): Expression {
    const condition = this.#or()
    if (!this.cursor.takeSymbol('?')) return condition
    const yes = this.expression()
    this.cursor.expectSymbol(':')
    return call('if', [condition, yes, this.expression()])
  }

  #or(): Expression {
    let left = this.#and()
    while (this.cursor.takeWord('OR')) left = { kind: 'operator', operator: 'OR', left, right: this.#and() }
    return left
  }

  #and(): Expression {
    let left = this.#not()
    while (this.cursor.takeWord('AND')) left = { kind: 'operator', operator: 'AND', left, right: this.#not() }
    return left
  }

  #not(): Expression {
    return this.cursor.takeWord('NOT') ? { kind: 'not', of: this.cursor.nested(() => this.#not()) } : this.#comparison()
  }

  #comparison(): Expression {
    const { cursor } = this
    let left = this.#nullish()
    for (;;) {
      const { kind, text } = cursor.peek()
      const operator = kind === 'symbol' && Object.hasOwn(COMPARISONS, text) ? COMPARISONS[text] : undefined
      if (operator !== undefined) {
        cursor.next()
        left = comparison(operator, left, this.#nullish())
        continue
      }
      if (cursor.takeWord('IS')) {
        left = this.#is(left)
        continue
      }
      // On several servers GLOBAL says where the list is made: here that is decided for every query.
      if (cursor.isWord('GLOBAL', 'NOT')) cursor.next()
      const not = cursor.isWord('NOT') && cursor.peek(1).kind === 'word'
      if (not) cursor.next()
      if (cursor.isWord('GLOBAL', 'IN')) cursor.next()
      if (cursor.takeWord('IN', 'COHORT')) left = { kind: 'in cohort', not, left, cohort: this.#cohort() }
      else if (cursor.takeWord('IN')) left = { kind: 'in', not, left, right: this.#nullish() }
      else if (cursor.takeWord('BETWEEN')) {
        const low = this.#nullish()
        cursor.expectWord('AND')
        left = { kind: 'between', not, of: left, low, high: this.#nullish() }
      } else if (cursor.isWord('LIKE') || cursor.isWord('ILIKE')) {
        const operator = `${not ? 'NOT ' : ''}${cursor.next().text.toUpperCase()}`
        left = { kind: 'operator', operator, left, right: this.#nullish() }
      } else if (not) throw cursor.unexpected('IN, LIKE, ILIKE or BETWEEN')
      else return left
    }
  }

  /** IS [NOT] NULL, IS [NOT] DISTINCT FROM x. */
  #is(of: Expression): Expression {
    const { cursor } = this
    const not = cursor.takeWord('NOT')
    if (cursor.takeWord('DISTINCT', 'FROM'))
      return { kind: 'operator', operator: not ? '=' : '!=', left: of, right: this.#nullish() }
    if (!cursor.takeWord('NULL')) throw cursor.unexpected('NULL or DISTINCT FROM')
    return { kind: 'is null', not, of }
  }

  #cohort(): string {
    const { kind, text } = this.cursor.peek()
    if (kind !== 'number' && kind !== 'string') throw this.cursor.unexpected('the id or the name of a cohort')
    this.cursor.next()
    return text
  }

  #nullish(): Expression {
    let left = this.#sum()
    while (this.cursor.takeSymbol('??')) left = call('ifNull', [left, this.#sum()])
    return left
  }

  #sum(): Expression {
    let left = this.#product()
    for (;;) {
      const { kind, text } = this.cursor.peek()
      if (kind !== 'symbol' || (text !== '+' && text !== '-' && text !== '||')) return left
      this.cursor.next()
      left = { kind: 'operator', operator: text, left, right: this.#product() }
    }
  }

  #product(): Expression {
    let left = this.#unary()
    for (;;) {
      const { kind, text } = this.cursor.peek()
      if (kind !== 'symbol' || (text !== '*' && text !== '/' && text !== '%')) return left
      this.cursor.next()
      left = { kind: 'operator', operator: text, left, right: this.#unary() }
    }
  }

  #unary(): Expression {
    if (this.cursor.takeSymbol('-')) return { kind: 'minus', of: this.cursor.nested(() => this.#unary()) }
    if (this.cursor.takeSymbol('+')) return this.cursor.nested(() => this.#unary())
    let of = this.#primary()
    for (;;) {
      const more = this.#postfix(of)
      if (more === null) return of
      of = more
    }
  }

  /** What may follow a value: [i], [a:b], .name, .1, ::type. */
  #postfix(of: Expression): Expression | null {
    const { cursor } = this
    const { kind, text, start } = cursor.peek()
    if (cursor.takeSymbol('[')) return this.#bracket(of)
    if (cursor.takeSymbol('::')) return readType(this, of)
    // "x.1" is read as the name x and the number .1.
    if (kind === 'number' && /^\.\d{1,4}$/.test(text) && start === cursor.end && of.kind !== 'number') {
      cursor.next()
      return { kind: 'element', of, at: Number(text.slice(1)) }
    }
    if (!cursor.isSymbol('.')) return null
    if (cursor.isSymbol('-', 1) && /^\d{1,4}$/.test(cursor.peek(2).text)) {
      cursor.next()
      cursor.next()
      return { kind: 'element', of, at: -Number(cursor.next().text) }
    }
    if (of.kind === 'index' || of.kind === 'element') {
      cursor.next()
      return { kind: 'index', of, at: { kind: 'string', value: this.anyName() } }
    }
    if (of.kind !== 'name') return null
    cursor.next()
    return cursor.takeSymbol('*')
      ? { kind: 'star', table: of.chain.join('.') }
      : { kind: 'name', chain: [...of.chain, this.anyName()], place: of.place }
  }

  #bracket(of: Expression): Expression {
    const { cursor } = this
    const at = cursor.isSymbol(':') ? null : this.expression()
    if (at === null || cursor.isSymbol(':')) {
      cursor.expectSymbol(':')
      const to = cursor.isSymbol(']') ? null : this.expression()
      cursor.expectSymbol(']')
      return { kind: 'slice', of, from: at, to }
    }
    cursor.expectSymbol(']')
    return of.kind === 'name' && at.kind === 'string'
      ? { kind: 'name', chain: [...of.chain, at.value], place: of.place }
      : { kind: 'index', of, at }
  }

  #primary(): Expression {
    const { cursor } = this
    const token = cursor.peek()
    if (token.kind === 'number') return { kind: 'number', text: cursor.next().text }
    if (token.kind === 'string') return { kind: 'string', value: cursor.next().text }
    if (cursor.takeSymbol('(')) return this.#parenthesised()
    if (cursor.takeSymbol('[')) {
      const items = cursor.isSymbol(']') ? [] : cursor.list(this.aliased)
      cursor.expectSymbol(']')
      return { kind: 'array', items }
    }
    if (cursor.takeSymbol('*')) return { kind: 'star', table: null }
    if (cursor.takeSymbol('{')) return this.#placeholder()
    if (cursor.takeWord('CASE')) return readCase(this)
    if (cursor.takeWord('NULL')) return { kind: 'word', value: 'NULL' }
    if (cursor.takeWord('TRUE')) return { kind: 'word', value: 'true' }
    if (cursor.takeWord('FALSE')) return { kind: 'word', value: 'false' }
    if (startsInterval(this)) return readInterval(this, () => this.#unary())
    const { place } = cursor
    if (cursor.isWord('EXISTS') && cursor.isSymbol('(', 1)) return this.#exists()
    // DATE '2024-05-09', TIMESTAMP '2024-05-09 10:00:00'
    if ((cursor.isWord('DATE') || cursor.isWord('TIMESTAMP')) && cursor.peek(1).kind === 'string') {
      const name = /^date$/i.test(cursor.next().text) ? 'toDate' : 'toDateTime'
      return call(name, [{ kind: 'string', value: cursor.next().text }], place)
    }
    if (token.kind === 'word' && cursor.isSymbol('(', 1) && KEYWORD_FUNCTIONS.has(token.text.toUpperCase()))
      return readCall(this, cursor.next().text, place)
    const name = this.name()
    if (token.kind === 'word' && cursor.isSymbol('(')) return readCall(this, name, place)
    if (cursor.takeSymbol('->')) return { kind: 'lambda', names: [name], body: this.expression() }
    return { kind: 'name', chain: [name], place }
  }

  #exists(): Expression {
    const { cursor } = this
    cursor.next()
    cursor.next()
    const query = this.query()
    cursor.expectSymbol(')')
    return { kind: 'exists', query }
  }

  /** {name.part}; {filters.interval(x)} is a call. */
  #placeholder(): Expression {
    const { cursor } = this
    const path = [this.name()]
    while (cursor.takeSymbol('.')) path.push(this.anyName())
    const args: Expression[] = []
    if (cursor.takeSymbol('(') && !cursor.takeSymbol(')')) {
      args.push(...cursor.list(this.expression))
      cursor.expectSymbol(')')
    }
    cursor.expectSymbol('}')
    if (path.join('.') === 'filters.interval' && args.length === 1)
      return call('dateTrunc', [{ kind: 'placeholder', path }, ...args])
    if (args.length > 0) throw sqlError(`{${path.join('.')}} takes no arguments.`)
    return { kind: 'placeholder', path }
  }

  #parenthesised(): Expression {
    const { cursor } = this
    if (cursor.isWord('SELECT') || cursor.isWord('WITH')) {
      const query = this.query()
      cursor.expectSymbol(')')
      return { kind: 'query', query }
    }
    if (cursor.takeSymbol(')')) {
      if (!cursor.takeSymbol('->')) throw cursor.unexpected('an expression')
      return { kind: 'lambda', names: [], body: this.expression() }
    }
    const items = cursor.list(this.aliased)
    cursor.expectSymbol(')')
    if (cursor.takeSymbol('->')) {
      const names = items.map((item) => {
        if (item.kind !== 'name' || item.chain.length !== 1) throw sqlError('A lambda takes plain names.')
        return item.chain[0] as string
      })
      return { kind: 'lambda', names, body: this.expression() }
    }
    return items.length === 1 ? (items[0] as Expression) : { kind: 'tuple', items }
  }
}

/** Patterns that do not care about case are patterns that say so. */
function comparison(operator: string, left: Expression, right: Expression): Expression {
  if (!operator.endsWith('~*')) return { kind: 'operator', operator, left, right }
  const pattern: Expression = right.kind === 'string' ? { kind: 'string', value: `(?i)${right.value}` } : right
  if (right.kind !== 'string' && !(right.kind === 'word' && right.value === 'NULL'))
    throw sqlError(`The pattern after ${operator} is a plain text: name ${operator} 'pattern'.`)
  return { kind: 'operator', operator: operator.slice(0, -1), left, right: pattern }
}
