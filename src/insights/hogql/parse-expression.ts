import type { Call, Expression, Order, Query } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { sqlError } from './error.ts'

/** Words that end an expression: they are never names unless quoted. */
const RESERVED = new Set(
  `SELECT FROM WHERE PREWHERE GROUP HAVING ORDER LIMIT OFFSET UNION INTERSECT EXCEPT JOIN ON USING INNER LEFT RIGHT FULL CROSS ANY ALL
  ASOF GLOBAL ARRAY AS AND OR NOT IN LIKE ILIKE BETWEEN IS CASE WHEN THEN ELSE END BY ASC DESC NULLS WITH SETTINGS FORMAT INTO FINAL
  SAMPLE WINDOW QUALIFY DISTINCT`.split(/\s+/),
)

/** As written, and the one name each has. */
const COMPARISONS: Readonly<Record<string, string>> = {
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
/** Keywords that are functions too: and(a, b), left(text, 3). */
const KEYWORD_FUNCTIONS = new Set(['ANY', 'LEFT', 'RIGHT', 'AND', 'OR', 'IN', 'LIKE', 'ILIKE', 'ARRAY', 'FORMAT'])
const UNITS = new Set(['SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'])

/** How a query inside an expression is read: the two grammars need each other. */
type ReadQuery = (cursor: Cursor) => Query

export class ExpressionParser {
  readonly #cursor: Cursor
  readonly #readQuery: ReadQuery

  constructor(cursor: Cursor, readQuery: ReadQuery) {
    this.#cursor = cursor
    this.#readQuery = readQuery
  }

  expression = (): Expression => this.#cursor.nested(() => this.#ternary())

  order = (): Order => {
    const of = this.expression()
    const direction = this.#cursor.takeWord('DESC') ? ' DESC' : this.#cursor.takeWord('ASC') ? ' ASC' : ''
    const nulls = this.#cursor.takeWord('NULLS', 'FIRST')
      ? ' NULLS FIRST'
      : this.#cursor.takeWord('NULLS', 'LAST')
        ? ' NULLS LAST'
        : ''
    return { of, direction, nulls }
  }

  /** A name that is no keyword. */
  name = (): string => {
    const token = this.#cursor.peek()
    if (token.kind !== 'name' && (token.kind !== 'word' || RESERVED.has(token.text.toUpperCase())))
      throw this.#cursor.unexpected('a name')
    return this.#cursor.next().text
  }

  startsName(): boolean {
    const token = this.#cursor.peek()
    return token.kind === 'name' || (token.kind === 'word' && !RESERVED.has(token.text.toUpperCase()))
  }

  #ternary(): Expression {
    const condition = this.#or()
    if (!this.#cursor.takeSymbol('?')) return condition
    const yes = this.expression()
    this.#cursor.expectSymbol(':')
    return call('if', [condition, yes, this.expression()])
  }

  #or(): Expression {
    let left = this.#and()
    while (this.#cursor.takeWord('OR')) left = { kind: 'operator', operator: 'OR', left, right: this.#and() }
    return left
  }

  #and(): Expression {
    let left = this.#not()
    while (this.#cursor.takeWord('AND')) left = { kind: 'operator', operator: 'AND', left, right: this.#not() }
    return left
  }

  #not(): Expression {
    return this.#cursor.takeWord('NOT')
      ? { kind: 'not', of: this.#cursor.nested(() => this.#not()) }
      : this.#comparison()
  }

  #comparison(): Expression {
    const cursor = this.#cursor
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
        const not = cursor.takeWord('NOT')
        cursor.expectWord('NULL')
        left = { kind: 'is null', not, of: left }
        continue
      }
      const not = cursor.isWord('NOT') && cursor.peek(1).kind === 'word'
      if (not) cursor.next()
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

  #cohort(): string {
    const { kind, text } = this.#cursor.peek()
    if (kind !== 'number' && kind !== 'string') throw this.#cursor.unexpected('the id or the name of a cohort')
    this.#cursor.next()
    return text
  }

  #nullish(): Expression {
    let left = this.#sum()
    while (this.#cursor.takeSymbol('??')) left = call('ifNull', [left, this.#sum()])
    return left
  }

  #sum(): Expression {
    let left = this.#product()
    for (;;) {
      const { kind, text } = this.#cursor.peek()
      if (kind !== 'symbol' || (text !== '+' && text !== '-' && text !== '||')) return left
      this.#cursor.next()
      left = { kind: 'operator', operator: text, left, right: this.#product() }
    }
  }

  #product(): Expression {
    let left = this.#unary()
    for (;;) {
      const { kind, text } = this.#cursor.peek()
      if (kind !== 'symbol' || (text !== '*' && text !== '/' && text !== '%')) return left
      this.#cursor.next()
      left = { kind: 'operator', operator: text, left, right: this.#unary() }
    }
  }

  #unary(): Expression {
    if (this.#cursor.takeSymbol('-')) return { kind: 'minus', of: this.#cursor.nested(() => this.#unary()) }
    let of = this.#primary()
    for (;;) {
      if (this.#cursor.takeSymbol('[')) {
        const at = this.expression()
        this.#cursor.expectSymbol(']')
        of =
          of.kind === 'name' && at.kind === 'string'
            ? { kind: 'name', chain: [...of.chain, at.value] }
            : { kind: 'index', of, at }
      } else if (of.kind === 'name' && this.#cursor.isSymbol('.')) {
        this.#cursor.next()
        of = this.#cursor.takeSymbol('*')
          ? { kind: 'star', table: of.chain.join('.') }
          : {
              kind: 'name',
              chain: [...of.chain, this.#cursor.peek().kind === 'word' ? this.#cursor.next().text : this.name()],
            }
      } else return of
    }
  }

  #primary(): Expression {
    const cursor = this.#cursor
    const token = cursor.peek()
    if (token.kind === 'number') return { kind: 'number', text: cursor.next().text }
    if (token.kind === 'string') return { kind: 'string', value: cursor.next().text }
    if (cursor.takeSymbol('(')) return this.#parenthesised()
    if (cursor.takeSymbol('[')) {
      const items = cursor.isSymbol(']') ? [] : cursor.list(this.expression)
      cursor.expectSymbol(']')
      return { kind: 'array', items }
    }
    if (cursor.takeSymbol('*')) return { kind: 'star', table: null }
    if (cursor.takeSymbol('{')) {
      const path = [this.name()]
      while (cursor.takeSymbol('.')) path.push(this.#anyWord())
      cursor.expectSymbol('}')
      return { kind: 'placeholder', path }
    }
    if (cursor.takeWord('CASE')) return this.#case()
    if (cursor.takeWord('NULL')) return { kind: 'word', value: 'NULL' }
    if (cursor.takeWord('TRUE')) return { kind: 'word', value: 'true' }
    if (cursor.takeWord('FALSE')) return { kind: 'word', value: 'false' }
    if (cursor.isWord('INTERVAL') && !cursor.isSymbol('.', 1)) return this.#interval()
    if (token.kind === 'word' && cursor.isSymbol('(', 1) && KEYWORD_FUNCTIONS.has(token.text.toUpperCase()))
      return this.#call(cursor.next().text)
    const name = this.name()
    if (token.kind === 'word' && cursor.isSymbol('(')) return this.#call(name)
    if (cursor.takeSymbol('->')) return { kind: 'lambda', names: [name], body: this.expression() }
    return { kind: 'name', chain: [name] }
  }

  #anyWord(): string {
    return this.#cursor.peek().kind === 'word' ? this.#cursor.next().text : this.name()
  }

  #parenthesised(): Expression {
    const cursor = this.#cursor
    if (cursor.isWord('SELECT') || cursor.isWord('WITH')) {
      const query = this.#readQuery(cursor)
      cursor.expectSymbol(')')
      return { kind: 'query', query }
    }
    if (cursor.takeSymbol(')')) {
      if (!cursor.takeSymbol('->')) throw cursor.unexpected('an expression')
      return { kind: 'lambda', names: [], body: this.expression() }
    }
    const items = cursor.list(this.expression)
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

  #case(): Expression {
    const cursor = this.#cursor
    const subject = cursor.isWord('WHEN') ? null : this.expression()
    const args: Expression[] = []
    while (cursor.takeWord('WHEN')) {
      const when = this.expression()
      cursor.expectWord('THEN')
      args.push(subject ? { kind: 'operator', operator: '=', left: subject, right: when } : when, this.expression())
    }
    if (args.length === 0) throw cursor.unexpected('WHEN')
    args.push(cursor.takeWord('ELSE') ? this.expression() : { kind: 'word', value: 'NULL' })
    cursor.expectWord('END')
    return call('multiIf', args)
  }

  #interval(): Expression {
    this.#cursor.expectWord('INTERVAL')
    const given = this.#cursor.peek()
    // INTERVAL '7 day' says both in one text.
    const both = given.kind === 'string' ? /^\s*(\d+)\s+([a-z]+)\s*$/i.exec(given.text) : null
    if (both) this.#cursor.next()
    const count: Expression = both ? { kind: 'number', text: both[1] as string } : this.#unary()
    const unit = (both ? (both[2] as string) : this.#anyWord()).toUpperCase().replace(/S$/, '')
    if (!UNITS.has(unit)) throw sqlError(`An interval is counted in ${[...UNITS].join(', ').toLowerCase()}.`)
    return { kind: 'interval', count, unit }
  }

  #call(name: string): Call {
    const first = this.#arguments()
    const parametric = this.#cursor.isSymbol('(')
    const { distinct, args } = parametric ? this.#arguments() : first
    return { kind: 'call', name, parameters: parametric ? first.args : null, distinct, args, over: this.#over() }
  }

  #arguments(): { distinct: boolean; args: Expression[] } {
    this.#cursor.expectSymbol('(')
    const distinct = this.#cursor.takeWord('DISTINCT')
    if (this.#cursor.isWord('SELECT')) {
      const query = this.#readQuery(this.#cursor)
      this.#cursor.expectSymbol(')')
      return { distinct, args: [{ kind: 'query', query }] }
    }
    const args = this.#cursor.isSymbol(')') ? [] : this.#cursor.list(this.expression)
    this.#cursor.expectSymbol(')')
    return { distinct, args }
  }

  #over(): Call['over'] {
    if (!this.#cursor.takeWord('OVER')) return null
    this.#cursor.expectSymbol('(')
    const partition = this.#cursor.takeWord('PARTITION', 'BY') ? this.#cursor.list(this.expression) : []
    const order = this.#cursor.takeWord('ORDER', 'BY') ? this.#cursor.list(this.order) : []
    this.#cursor.expectSymbol(')')
    return { partition, order }
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

const call = (name: string, args: readonly Expression[]): Call => ({
  kind: 'call',
  name,
  parameters: null,
  distinct: false,
  args,
  over: null,
})
