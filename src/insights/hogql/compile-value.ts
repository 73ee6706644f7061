import { type Fragment, join, sql, str } from '../../engines/clickhouse-sql.ts'
import type { Named } from '../sql/event-scope.ts'
import type { Expression, Order, Place, Window } from './ast.ts'
import { boundedArguments } from './bounded-calls.ts'
import { comparedSides, isNumeric, numberOf } from './compared-sides.ts'
import { compared, isComparison, orElse, type Use } from './comparisons.ts'
import { CallCompiler } from './compile-call.ts'
import { evaluated } from './constant-count.ts'
import { didYouMean } from './did-you-mean.ts'
import { inDocument } from './document.ts'
import { sqlError } from './error.ts'
import { ourName } from './our-names.ts'
import { mayBeNull, plain, type Surroundings, type Values } from './values.ts'
import type { Field } from './view.ts'
import { call } from './written-call.ts'
import { withinSize } from './written-size.ts'

const ARITHMETIC = new Set(['+', '-', '*', '/', '%'])

const MOST_NAMINGS = 200

/** Functions of the SQL standard that are written like names. */
const WITHOUT_BRACKETS = new Set(['current_date', 'current_timestamp'])

const other = (value: Fragment, nullable: boolean): Field => ({ value, kind: 'other', nullable })

const documentOf = ({ value, nullable }: Field): Fragment => (nullable === false ? value : sql`ifNull(${value}, '')`)

/** Expressions of one SELECT: names and operators; calls are in compile-call.ts. */
export class ValueCompiler implements Values {
  readonly around: Surroundings
  readonly #calls: CallCompiler
  /** Names of the lambdas that are being written. */
  readonly #locals: string[] = []
  readonly #naming = new Set<string>()
  #namings = 0
  /** The values that WITH gives names to. */
  given: ReadonlyMap<string, Expression> = new Map()
  /** In GROUP BY, HAVING and ORDER BY a name means the selected column first; elsewhere the table's. */
  aliasFirst = false

  constructor(around: Surroundings) {
    this.around = around
    this.#calls = new CallCompiler(this)
  }

  order({ of, direction, nulls, fill }: Order): Fragment {
    const bound = (word: string, value: Expression | null | undefined) =>
      value ? sql` ${plain(word)} ${this.value(value)}` : sql``
    const filled = fill
      ? sql` WITH FILL${bound('FROM', fill.from)}${bound('TO', fill.to)}${bound('STEP', fill.step)}`
      : sql``
    return sql`${this.value(of)}${plain(direction + nulls)}${filled}`
  }

  window(window: Window): Fragment {
    return this.#calls.window(window)
  }

  value(expression: Expression): Fragment {
    return this.field(expression).value
  }

  /** Where only what is true counts: WHERE, HAVING, the condition of if(). */
  condition(expression: Expression): Fragment {
    return this.field(expression, 'condition').value
  }

  joinCondition(expression: Expression): Fragment {
    return this.field(expression, 'join').value
  }

  get isInLambda(): boolean {
    return this.#locals.length > 0
  }

  field(expression: Expression, use: Use = 'value'): Field {
    switch (expression.kind) {
      case 'name':
        return this.#name(expression.chain, expression.place)
      case 'number':
        return other(plain(expression.text), false)
      case 'string':
        return other(sql`${str(expression.value)}`, false)
      case 'word':
        return other(plain(expression.value), expression.value === 'NULL')
      case 'star':
        throw sqlError('"*" stands alone in a list of columns, or inside count().')
      case 'operator':
        return this.#operator(expression, use)
      case 'not': {
        const of = this.field(expression.of, use === 'join' ? 'join' : 'value')
        return other(sql`(NOT ${of.value})`, mayBeNull(of))
      }
      case 'minus': {
        const of = this.field(expression.of)
        return other(sql`(-${numberOf(of)})`, mayBeNull(of))
      }
      case 'in':
        return other(this.#in(expression, use), false)
      case 'in cohort': {
        const left = this.field(expression.left)
        const members = this.namedOf('IN COHORT').members(expression.cohort, ['query'])
        const within = sql`(${left.value} ${plain(expression.not ? 'NOT IN' : 'IN')} (${members}))`
        return other(mayBeNull(left) ? orElse(within, expression.not, use) : within, false)
      }
      case 'between':
        return other(this.#between(expression, use), false)
      case 'is null':
        return other(sql`(${this.value(expression.of)} ${plain(expression.not ? 'IS NOT NULL' : 'IS NULL')})`, false)
      case 'interval': {
        const count = this.field(expression.count)
        const unit = (expression.unit[0] as string) + expression.unit.slice(1).toLowerCase()
        return other(sql`${plain(`toInterval${unit}`)}(${count.value})`, mayBeNull(count))
      }
      case 'tuple':
        return other(sql`tuple(${this.list(expression.items)})`, false)
      case 'array':
        return other(sql`[${this.list(expression.items)}]`, false)
      case 'index':
        return this.#index(expression)
      case 'element': {
        const of = this.field(expression.of)
        if (of.kind !== 'other') return inDocument(documentOf(of), [expression.at])
        return other(sql`tupleElement(${of.value}, ${plain(String(expression.at))})`, true)
      }
      case 'slice':
        return other(this.#slice(expression), false)
      case 'alias': {
        const of = this.field(expression.of)
        this.around.scope.aliases.set(expression.name, { kind: of.kind, nullable: of.nullable })
        return { ...of, value: sql`(${of.value} AS ${ourName(expression.name)})` }
      }
      case 'lambda':
        throw sqlError('A lambda stands as an argument of a function such as arrayMap.')
      case 'placeholder':
        return other(this.around.placeholder(expression.path), true)
      case 'query':
        return other(sql`(${this.around.query(expression.query)})`, true)
      case 'exists':
        return other(
          sql`((SELECT count() FROM (SELECT 1 FROM (${this.around.query(expression.query)}) LIMIT 1)) > 0)`,
          false,
        )
      case 'call':
        return this.#calls.field(expression, use)
    }
  }

  #name(chain: readonly string[], place: Place | undefined): Field {
    const { scope } = this.around
    const [first = ''] = chain
    if (chain.length === 1 && this.#locals.includes(first)) return other(sql`${ourName(first)}`, true)
    const alias = chain.length === 1 ? scope.alias(first) : undefined
    if (this.aliasFirst && alias) return alias
    const field = scope.field(chain)
    if (field) return field
    if (alias) return alias
    const given = chain.length === 1 ? this.given.get(first) : undefined
    if (given) return this.#writtenOut(first, given)
    if (chain.length === 1 && WITHOUT_BRACKETS.has(first.toLowerCase())) return this.field(call(first, []))
    throw sqlError(`Unable to resolve field: ${chain.join('.')}${this.#meant(chain)}`, place)
  }

  #meant(chain: readonly string[]): string {
    const { scope } = this.around
    const source = scope.sources.find(({ name }) => name !== null && name === chain[0])
    const suggestion =
      source && chain[1] !== undefined
        ? didYouMean(chain[1], source.columns)
        : didYouMean(chain[0] ?? '', [...scope.names(), ...this.given.keys(), ...this.#locals])
    return suggestion === '' ? this.#guessed(chain) : `.${suggestion}`
  }

  /** A property without its table, or a text in the quotes of names. */
  #guessed([first = '', ...rest]: readonly string[]): string {
    if (rest.length > 0) return ''
    const hasProperties = this.around.scope.sources.some((source) => source.field(['properties']) !== undefined)
    if (!hasProperties || !/^[\w$ -]+$/.test(first)) return ''
    const property = /^[A-Za-z_$][\w$]*$/.test(first) ? `properties.${first}` : `properties['${first}']`
    return `. A property is written ${property}, a text '${first}'.`
  }

  /** WITH x + 1 AS y: written out where it is used, but never within itself and not without end. */
  #writtenOut(name: string, value: Expression): Field {
    if (this.#naming.has(name)) throw sqlError(`"${name}" is defined by itself.`)
    if (++this.#namings > MOST_NAMINGS) throw sqlError('Values of WITH are used too often.')
    this.#naming.add(name)
    try {
      return this.field(value)
    } finally {
      this.#naming.delete(name)
    }
  }

  #operator({ operator, left, right }: Extract<Expression, { kind: 'operator' }>, use: Use): Field {
    if (operator === 'AND' || operator === 'OR') {
      const [a, b] = [this.field(left, use), this.field(right, use)]
      return other(sql`(${a.value} ${plain(operator)} ${b.value})`, mayBeNull(a) || mayBeNull(b))
    }
    if (operator === '||') return this.#calls.concat([left, right])
    if (isComparison(operator)) return other(this.compare(operator, left, right, use), false)
    if (!ARITHMETIC.has(operator)) throw sqlError(`Unknown operator ${operator}.`)
    const [a, b] = [this.field(left), this.field(right)]
    // A property is a text; next to a number, or to another property, it means the number in it.
    const numbers = isNumeric(left) || isNumeric(right) || (a.kind === 'property' && b.kind === 'property')
    const [x, y] = numbers ? [numberOf(a), numberOf(b)] : [a.value, b.value]
    return other(sql`(${x} ${plain(operator)} ${y})`, mayBeNull(a) || mayBeNull(b))
  }

  /** Also for the comparisons that are written as calls: equals(a, b). */
  compare(operator: string, left: Expression, right: Expression, use: Use): Fragment {
    const sides = [left, right].map((written) => ({ written, field: this.field(written) })) as [
      { written: Expression; field: Field },
      { written: Expression; field: Field },
    ]
    const [a, b] = comparedSides(operator, sides)
    if ((operator === '=~' || operator === '!~') && !a.isNull && !b.isNull) {
      this.around.calls.count('match')
      const [text, pattern] = boundedArguments(
        'match',
        [
          { written: left, value: a.value },
          { written: right, value: b.value },
        ],
        this.isInLambda,
      ) as [Fragment, Fragment]
      return withinSize(compared(operator, { ...a, value: text }, { ...b, value: pattern }, use))
    }
    return withinSize(compared(operator, a, b, use))
  }

  #between({ not, of, low, high }: Extract<Expression, { kind: 'between' }>, use: Use): Fragment {
    const fields = [of, low, high].map((each) => this.field(each))
    const numbers = isNumeric(low) || isNumeric(high)
    const [value, from, to] = fields.map((each) => (numbers ? numberOf(each) : each.value)) as [
      Fragment,
      Fragment,
      Fragment,
    ]
    const between = sql`(${value} ${plain(not ? 'NOT BETWEEN' : 'BETWEEN')} ${from} AND ${to})`
    return fields.some(mayBeNull) ? orElse(between, false, use) : between
  }

  /** Of a list, or of a list inside a property. */
  #index({ of, at }: Extract<Expression, { kind: 'index' }>): Field {
    const field = this.field(of)
    const place = at.kind === 'string' ? at.value : evaluated(at, () => undefined)
    if (field.kind !== 'other' && place !== undefined) return inDocument(documentOf(field), [place])
    return other(sql`${field.value}[${this.value(at)}]`, true)
  }

  /** Counted from 1, both ends included; negative ends count from the last item. */
  #slice({ of, from, to }: Extract<Expression, { kind: 'slice' }>): Fragment {
    const list = this.value(of)
    const first = from ? this.value(from) : sql`1`
    const last = to ? evaluated(to, () => undefined) : -1
    if (last === -1) return sql`arraySlice(${list}, ${first})`
    const start = from ? evaluated(from, () => undefined) : 1
    if (last !== undefined && last < 0 && start !== undefined && start > 0)
      return sql`arraySlice(${list}, ${first}, ${plain(String(last + 1))})`
    return sql`arraySlice(${list}, ${first}, greatest(0, ${this.value(to as Expression)} - ${first} + 1))`
  }

  #in({ not, left, right }: Extract<Expression, { kind: 'in' }>, use: Use): Fragment {
    const of = this.field(left)
    const word = plain(not ? 'NOT IN' : 'IN')
    if (right.kind !== 'tuple' && right.kind !== 'array') {
      const within =
        right.kind === 'query' || right.kind === 'placeholder'
          ? sql`(${of.value} ${word} ${this.value(right)})`
          : sql`(${of.value} ${word} (${this.value(right)}))`
      return mayBeNull(of) ? orElse(within, not, use) : within
    }
    const isNull = (item: Expression) => item.kind === 'word' && item.value === 'NULL'
    const items = right.items.filter((item) => !isNull(item))
    const ofNull = sql`${plain(not ? 'isNotNull' : 'isNull')}(${of.value})`
    if (items.length === 0 && right.items.length > 0) return ofNull
    const { value, list } = this.#listed(of, items)
    const within = sql`(${value} ${word} (${list}))`
    if (!mayBeNull(of)) return within
    if (items.length === right.items.length) return orElse(within, not, use)
    return not ? sql`(${ofNull} AND ifNull(${within}, 1))` : sql`(${ofNull} OR ifNull(${within}, 0))`
  }

  /** A property among numbers means the number in it; among values of several kinds, their texts. */
  #listed(of: Field, items: readonly Expression[]): { value: Fragment; list: Fragment } {
    if (of.kind !== 'property') return { value: of.value, list: this.list(items) }
    if (items.length > 0 && items.every(isNumeric)) return { value: numberOf(of), list: this.list(items) }
    const texts = items.map((item) =>
      item.kind === 'number'
        ? sql`${str(item.text)}`
        : item.kind === 'word'
          ? sql`${str(item.value)}`
          : this.value(item),
    )
    return { value: of.value, list: join(texts, ', ') }
  }

  list = (items: readonly Expression[]): Fragment =>
    join(
      items.map((item) => this.argument(item).value),
      ', ',
    )

  /** What may stand in a call: a value, or a lambda. */
  argument(argument: Expression, use: Use = 'value'): Field {
    if (argument.kind !== 'lambda') return this.field(argument, use)
    this.#locals.push(...argument.names)
    try {
      const names = join(
        argument.names.map((name) => ourName(name)),
        ', ',
      )
      return other(sql`(${names}) -> ${this.value(argument.body)}`, false)
    } finally {
      this.#locals.length -= argument.names.length
    }
  }

  namedOf(what: string): Named {
    const { named } = this.around.context
    if (named === undefined) throw sqlError(`${what} cannot be asked here.`)
    return named
  }
}
