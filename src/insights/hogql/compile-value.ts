import { Fragment, ident, join, sql, str } from '../../engines/clickhouse-sql.ts'
import type { Named } from '../sql/event-scope.ts'
import { anyOf } from '../sql/series.ts'
import type { Call, Expression, Order, Query } from './ast.ts'
import { boundedArguments, type CallBudget } from './bounded-calls.ts'
import { sqlError } from './error.ts'
import { isOfNumbers, knownFunction } from './functions.ts'
import { ourName, type SelectScope } from './scope.ts'
import { specialCall } from './special-calls.ts'
import type { Field, ViewContext } from './view.ts'

/** The statement that values stand in. */
interface Surroundings {
  readonly context: ViewContext
  readonly scope: SelectScope
  query(query: Query): Fragment
  placeholder(path: readonly string[]): Fragment
  /** Of the whole statement. */
  readonly calls: CallBudget
}

const OPERATORS: Record<string, string> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '+': '+',
  '-': '-',
  '*': '*',
  '/': '/',
  '%': '%',
  '||': '||',
  AND: 'AND',
  OR: 'OR',
  LIKE: 'LIKE',
  ILIKE: 'ILIKE',
  'NOT LIKE': 'NOT LIKE',
  'NOT ILIKE': 'NOT ILIKE',
}
const ARITHMETIC = new Set(['=', '==', '!=', '<>', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'])

const MOST_NAMINGS = 200

/** Text of ours: keywords, operators and numbers that were read as such. */
export const plain = (text: string): Fragment => new Fragment([text], [])

/** Expressions of one SELECT: names, operators and calls. */
export class ValueCompiler {
  readonly #around: Surroundings
  /** Names of the lambdas that are being written. */
  readonly #locals: string[] = []
  readonly #naming = new Set<string>()
  #namings = 0
  /** The values that WITH gives names to. */
  given: ReadonlyMap<string, Expression> = new Map()
  /** In GROUP BY, HAVING and ORDER BY a name means the selected column first; elsewhere the table's. */
  aliasFirst = false

  constructor(around: Surroundings) {
    this.#around = around
  }

  order({ of, direction, nulls }: Order): Fragment {
    return sql`${this.value(of)}${plain(direction + nulls)}`
  }

  value(expression: Expression): Fragment {
    return this.#field(expression).value
  }

  #field(expression: Expression): Field {
    if (expression.kind === 'name') return this.#name(expression.chain)
    return { value: this.#other(expression), kind: 'other' }
  }

  #name(chain: readonly string[]): Field {
    const [first = ''] = chain
    if (chain.length === 1 && this.#locals.includes(first)) return { value: sql`${ourName(first)}`, kind: 'other' }
    const alias: Field | undefined =
      chain.length === 1 && this.#around.scope.aliases.has(first)
        ? { value: sql`${ourName(first)}`, kind: 'other' }
        : undefined
    if (this.aliasFirst && alias) return alias
    const field = this.#around.scope.field(chain)
    if (field) return field
    if (alias) return alias
    const given = chain.length === 1 ? this.given.get(first) : undefined
    if (given) return this.#writtenOut(first, given)
    throw sqlError(`Unable to resolve field: ${chain.join('.')}`)
  }

  /** WITH x + 1 AS y: written out where it is used, but never within itself and not without end. */
  #writtenOut(name: string, value: Expression): Field {
    if (this.#naming.has(name)) throw sqlError(`"${name}" is defined by itself.`)
    if (++this.#namings > MOST_NAMINGS) throw sqlError('Values of WITH are used too often.')
    this.#naming.add(name)
    try {
      return this.#field(value)
    } finally {
      this.#naming.delete(name)
    }
  }

  #other(expression: Exclude<Expression, { kind: 'name' }>): Fragment {
    switch (expression.kind) {
      case 'number':
        return plain(expression.text)
      case 'string':
        return sql`${str(expression.value)}`
      case 'word':
        return plain(expression.value)
      case 'star':
        throw sqlError('"*" stands alone in a list of columns, or inside count().')
      case 'operator':
        return this.#operator(expression.operator, expression.left, expression.right)
      case 'not':
        return sql`(NOT ${this.value(expression.of)})`
      case 'minus':
        return sql`(-${this.value(expression.of)})`
      case 'in':
        return this.#in(expression)
      case 'in cohort': {
        const members = this.#namedOf('IN COHORT').members(expression.cohort, ['query'])
        return sql`(${this.value(expression.left)} ${plain(expression.not ? 'NOT IN' : 'IN')} (${members}))`
      }
      case 'between': {
        const [of, low, high] = [expression.of, expression.low, expression.high].map((each) => this.value(each)) as [
          Fragment,
          Fragment,
          Fragment,
        ]
        return sql`(${of} ${plain(expression.not ? 'NOT BETWEEN' : 'BETWEEN')} ${low} AND ${high})`
      }
      case 'is null':
        return sql`(${this.value(expression.of)} ${plain(expression.not ? 'IS NOT NULL' : 'IS NULL')})`
      case 'interval':
        return sql`INTERVAL ${this.value(expression.count)} ${plain(expression.unit)}`
      case 'tuple':
        return sql`tuple(${this.#list(expression.items)})`
      case 'array':
        return sql`[${this.#list(expression.items)}]`
      case 'index':
        return sql`${this.value(expression.of)}[${this.value(expression.at)}]`
      case 'lambda':
        throw sqlError('A lambda stands as an argument of a function such as arrayMap.')
      case 'placeholder':
        return this.#around.placeholder(expression.path)
      case 'query':
        return sql`(${this.#around.query(expression.query)})`
      case 'call':
        return this.#call(expression)
    }
  }

  #operator(operator: string, left: Expression, right: Expression): Fragment {
    if (operator === '=~') return sql`match(${join(this.#arguments('match', [left, right]), ', ')})`
    if (operator === '!~') return sql`NOT match(${join(this.#arguments('match', [left, right]), ', ')})`
    const word = OPERATORS[operator]
    if (word === undefined) throw sqlError(`Unknown operator ${operator}.`)
    const numbers = ARITHMETIC.has(operator)
    const [a, b] = [this.#operand(left, right, numbers), this.#operand(right, left, numbers)]
    return sql`(${a} ${plain(word)} ${b})`
  }

  /** A property is a text; next to a number it means the number in it. */
  #operand(side: Expression, otherSide: Expression, numbers: boolean): Fragment {
    const { value, kind } = this.#field(side)
    return numbers && kind === 'property' && isNumeric(otherSide) ? sql`toFloat64OrNull(${value})` : value
  }

  #namedOf(what: string): Named {
    const { named } = this.#around.context
    if (named === undefined) throw sqlError(`${what} cannot be asked here.`)
    return named
  }

  /** Whether the event is of an action. */
  #matchesAction(args: readonly Expression[]): Fragment {
    const [action] = args
    const ref = action?.kind === 'string' ? action.value : action?.kind === 'number' ? action.text : undefined
    const source = this.#around.scope.sources.find(({ view }) => view?.scope !== undefined)
    const events = source?.view?.scope
    if (ref === undefined || args.length !== 1)
      throw sqlError("matchesAction takes the id or the name of an action: matchesAction('Bought').")
    if (source === undefined || events === undefined) throw sqlError('matchesAction needs events after FROM.')
    const named = this.#namedOf('matchesAction')
    return source.condition(anyOf(events, named.action(ref, ['query']), named.operators))
  }

  #in({ not, left, right }: Extract<Expression, { kind: 'in' }>): Fragment {
    const word = plain(not ? 'NOT IN' : 'IN')
    const items = right.kind === 'tuple' || right.kind === 'array' ? right.items : null
    if (items) return sql`(${this.value(left)} ${word} (${this.#list(items)}))`
    if (right.kind === 'query' || right.kind === 'placeholder')
      return sql`(${this.value(left)} ${word} ${this.value(right)})`
    return sql`(${this.value(left)} ${word} (${this.value(right)}))`
  }

  #list = (items: readonly Expression[]): Fragment =>
    join(
      items.map((item) => this.#argument(item)),
      ', ',
    )

  #argument(argument: Expression): Fragment {
    if (argument.kind !== 'lambda') return this.value(argument)
    this.#locals.push(...argument.names)
    try {
      const names = join(
        argument.names.map((name) => ourName(name)),
        ', ',
      )
      return sql`(${names}) -> ${this.value(argument.body)}`
    } finally {
      this.#locals.length -= argument.names.length
    }
  }

  #call(call: Call): Fragment {
    const star = call.args.length === 1 && call.args[0]?.kind === 'star'
    if (star && !/^count$/i.test(call.name)) throw sqlError(`${call.name}(*) means nothing; only count(*) does.`)
    const args = star ? [] : call.args
    if (/^matchesAction$/i.test(call.name)) return this.#matchesAction(args)
    const special = specialCall(call.name, args, (each) => this.#argument(each), this.#around.context.timezone)
    if (special) return special
    const name = knownFunction(call.name)
    if (name === undefined) throw sqlError(`There is no function "${call.name}" that queries may use.`)
    const parameters = call.parameters
      ? sql`(${join(
          call.parameters.map((each) => this.#parameter(each)),
          ', ',
        )})`
      : sql``
    const over = call.over
      ? sql` OVER (${call.over.partition.length > 0 ? sql`PARTITION BY ${this.#list(call.over.partition)} ` : sql``}${
          call.over.order.length > 0
            ? sql`ORDER BY ${join(
                call.over.order.map((each) => this.order(each)),
                ', ',
              )}`
            : sql``
        })`
      : sql``
    const given = join(isOfNumbers(name) ? this.#counted(name, args) : this.#arguments(name, args), ', ')
    return sql`${ident(name)}${parameters}(${plain(call.distinct ? 'DISTINCT ' : '')}${given})${over}`
  }

  #arguments(name: string, args: readonly Expression[]): Fragment[] {
    this.#around.calls.count(name)
    const given = args.map((written) => ({ written, value: this.#argument(written) }))
    return boundedArguments(name, given, this.#locals.length > 0)
  }

  #counted(name: string, args: readonly Expression[]): Fragment[] {
    this.#around.calls.count(name)
    return args.map((each) => this.#asNumber(each))
  }

  #asNumber(argument: Expression): Fragment {
    if (argument.kind !== 'name') return this.#argument(argument)
    const { value, kind } = this.#field(argument)
    return kind === 'property' ? sql`toFloat64OrNull(${value})` : value
  }

  /** Parameters of an aggregate are plain numbers, or a text such as a pattern of events. */
  #parameter(parameter: Expression): Fragment {
    if (parameter.kind === 'number' || parameter.kind === 'string') return this.value(parameter)
    throw sqlError('Parameters of an aggregate function are plain values.')
  }
}

const isNumeric = (expression: Expression): boolean =>
  expression.kind === 'number' ||
  (expression.kind === 'minus' && isNumeric(expression.of)) ||
  (expression.kind === 'operator' &&
    ARITHMETIC.has(expression.operator) &&
    isNumeric(expression.left) &&
    isNumeric(expression.right))
