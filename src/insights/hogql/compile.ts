import { Fragment, ident, join, sql, str } from '../../engines/clickhouse/index.ts'
import type { Named } from '../sql/event-scope.ts'
import { anyOf } from '../sql/series.ts'
import type { Call, Expression, Order, Query, Select, Table } from './ast.ts'
import { sqlError } from './error.ts'
import { isOfNumbers, knownFunction } from './functions.ts'
import { type Placeholders, placeholder } from './placeholders.ts'
import { ourName, querySource, SelectScope, type Source, viewSource } from './scope.ts'
import { specialCall } from './special-calls.ts'
import { openView, TABLES, type TableName } from './tables.ts'
import type { Field, ViewContext } from './view.ts'

/**
 * From the tree to the engine's SQL. Only what this file writes reaches the engine: tables become views of one project, names become
 * names of ours, texts become parameters, functions come from a list. A query can therefore say nothing that is not meant here.
 */
interface Compiled {
  readonly sql: Fragment
  readonly columns: readonly string[]
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
const plain = (text: string): Fragment => new Fragment([text], [])

export class Compiler {
  readonly #context: ViewContext
  readonly #placeholders: Placeholders | null
  #sources = 0

  /** Without `placeholders` nothing may stand in braces. */
  constructor(context: ViewContext, placeholders: Placeholders | null) {
    this.#context = context
    this.#placeholders = placeholders
  }

  query(query: Query, tables: ReadonlyMap<string, Query> = new Map()): Compiled {
    if (query.kind === 'select') return new SelectCompiler(this, tables).select(query)
    const first = this.query(query.first, tables)
    const rest = query.rest.map(({ operator, query }) => sql` ${plain(operator)} (${this.query(query, tables).sql})`)
    return { columns: first.columns, sql: sql`(${first.sql})${join(rest, '\n')}` }
  }

  /** An expression about the rows of `source`, to stand in a statement that reads them. */
  expression(expression: Expression, source: Source): Fragment {
    return new SelectCompiler(this, new Map()).expression(expression, source)
  }

  get context(): ViewContext {
    return this.#context
  }

  placeholder(path: readonly string[], scope: SelectScope): Fragment {
    if (this.#placeholders === null) throw sqlError(`{${path.join('.')}} can stand in a query, not in an expression.`)
    return placeholder(path, scope, this.#placeholders)
  }

  nextAlias(): string {
    if (this.#sources >= 50) throw sqlError('The query reads too many tables.')
    return `t${this.#sources++}`
  }
}

class SelectCompiler {
  readonly #compiler: Compiler
  readonly #scope = new SelectScope()
  readonly #locals: string[] = []
  #tables: ReadonlyMap<string, Query>
  #values: ReadonlyMap<string, Expression> = new Map()
  /** In GROUP BY, HAVING and ORDER BY a name means the selected column first; elsewhere the table's. */
  #aliasFirst = false

  constructor(compiler: Compiler, tables: ReadonlyMap<string, Query>) {
    this.#compiler = compiler
    this.#tables = tables
  }

  expression(expression: Expression, source: Source): Fragment {
    this.#scope.sources.push(source)
    return this.#value(expression)
  }

  select(select: Select): Compiled {
    this.#tables = new Map([...this.#tables, ...select.tables])
    this.#values = select.values
    const from = select.from ? this.#open(select.from) : null
    const joined = select.joins.map((join) => ({ join, source: this.#open(join.table) }))
    for (const { alias } of [...select.items, ...select.arrayJoins]) if (alias !== null) this.#scope.aliases.add(alias)
    const arrayJoins = select.arrayJoins.map(
      ({ of, alias }) => sql`${this.#value(of)}${alias === null ? sql`` : sql` AS ${ourName(alias)}`}`,
    )
    const items = select.items.flatMap((item) => this.#items(item))
    const names = unique(items.map(({ name }) => name))
    const selected = items.map(({ value }, i) => sql`${value} AS ${ourName(names[i] as string)}`)
    const where = select.where && this.#value(select.where)
    const joins = joined.map(({ join, source }) => ({
      join,
      source,
      on: join.on ? this.#value(join.on) : this.#using(join.using, source),
    }))
    this.#aliasFirst = true
    const groupBy = select.groupBy.map((each) => this.#value(each))
    const having = select.having && this.#value(select.having)
    const orderBy = select.orderBy.map((each) => this.#order(each))
    const limitBy = select.limitBy?.by.map((each) => this.#value(each))
    const parts = [
      sql`SELECT ${plain(select.distinct ? 'DISTINCT ' : '')}${join(selected, ', ')}`,
      from && sql`FROM ${from.render()}`,
      ...joins.map(({ join, source, on }) => sql`${plain(join.type)} ${source.render()}${on ? sql` ON ${on}` : sql``}`),
      arrayJoins.length > 0 && sql`ARRAY JOIN ${join(arrayJoins, ', ')}`,
      where && sql`WHERE ${where}`,
      groupBy.length > 0 && sql`GROUP BY ${join(groupBy, ', ')}`,
      having && sql`HAVING ${having}`,
      orderBy.length > 0 && sql`ORDER BY ${join(orderBy, ', ')}`,
      limitBy && sql`LIMIT ${plain(String(select.limitBy?.count))} BY ${join(limitBy, ', ')}`,
      select.limit !== null && sql`LIMIT ${plain(String(select.limit))}`,
      select.offset !== null && sql`OFFSET ${plain(String(select.offset))}`,
    ].filter((part) => part instanceof Fragment)
    return { columns: names, sql: join(parts, '\n') }
  }

  #open({ of, alias, sample }: Table): Source {
    const ours = this.#compiler.nextAlias()
    const source =
      of.kind === 'query'
        ? querySource(this.#compiler.query(of.query, this.#tables), ours, alias)
        : of.kind === 'numbers'
          ? querySource(numbers(of.from, of.count), ours, alias)
          : this.#table(of.name, ours, alias, sample)
    this.#scope.sources.push(source)
    return source
  }

  #table(name: string, ours: string, alias: string | null, sample: number | undefined): Source {
    const common = this.#tables.get(name)
    if (common) {
      // A table of WITH sees those before it, not itself: there is no recursion.
      const visible = new Map([...this.#tables].filter(([other]) => other !== name))
      return querySource(this.#compiler.query(common, visible), ours, alias ?? name)
    }
    if (!(TABLES as readonly string[]).includes(name))
      throw sqlError(`Unknown table "${name}". There are ${TABLES.join(', ')}.`)
    return viewSource(openView(name as TableName, this.#compiler.context, sample), ours, alias ?? name)
  }

  #using(names: readonly string[] | null, right: Source): Fragment | null {
    if (names === null) return null
    return join(
      names.map((name) => {
        const left = this.#scope.sources.find((source) => source !== right && source.field([name]))?.field([name])
        const other = right.field([name])
        if (!left || !other) throw sqlError(`USING (${name}): both sides need that column.`)
        return sql`${left.value} = ${other.value}`
      }),
      ' AND ',
    )
  }

  #items({ of, alias, text }: Select['items'][number]): { value: Fragment; name: string }[] {
    if (of.kind === 'star') {
      const sources = this.#scope.sources.filter(({ name }) => of.table === null || name === of.table)
      if (sources.length === 0) throw sqlError(`There is nothing that "${text}" could stand for.`)
      return sources.flatMap((source) =>
        source.columns.map((column) => ({ name: column, value: (source.field([column]) as Field).value })),
      )
    }
    return [
      {
        value: this.#value(of),
        name: alias ?? (of.kind === 'name' ? (of.chain.at(-1) as string) : text.slice(0, 200)),
      },
    ]
  }

  #order = ({ of, direction, nulls }: Order): Fragment => sql`${this.#value(of)}${plain(direction + nulls)}`

  #value(expression: Expression): Fragment {
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
      chain.length === 1 && this.#scope.aliases.has(first)
        ? { value: sql`${ourName(first)}`, kind: 'other' }
        : undefined
    if (this.#aliasFirst && alias) return alias
    const field = this.#scope.field(chain)
    if (field) return field
    if (alias) return alias
    const named = chain.length === 1 ? this.#values.get(first) : undefined
    if (named) return this.#named(first, named)
    throw sqlError(`Unable to resolve field: ${chain.join('.')}`)
  }

  /** WITH x + 1 AS y: written out where it is used, but never within itself and not without end. */
  #named(name: string, value: Expression): Field {
    if (this.#naming.has(name)) throw sqlError(`"${name}" is defined by itself.`)
    if (++this.#namings > MOST_NAMINGS) throw sqlError('Values of WITH are used too often.')
    this.#naming.add(name)
    try {
      return this.#field(value)
    } finally {
      this.#naming.delete(name)
    }
  }
  readonly #naming = new Set<string>()
  #namings = 0

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
        return sql`(NOT ${this.#value(expression.of)})`
      case 'minus':
        return sql`(-${this.#value(expression.of)})`
      case 'in':
        return this.#in(expression)
      case 'in cohort': {
        const members = this.#namedOf('IN COHORT').members(expression.cohort, 'query')
        return sql`(${this.#value(expression.left)} ${plain(expression.not ? 'NOT IN' : 'IN')} (${members}))`
      }
      case 'between': {
        const [of, low, high] = [expression.of, expression.low, expression.high].map((each) => this.#value(each)) as [
          Fragment,
          Fragment,
          Fragment,
        ]
        return sql`(${of} ${plain(expression.not ? 'NOT BETWEEN' : 'BETWEEN')} ${low} AND ${high})`
      }
      case 'is null':
        return sql`(${this.#value(expression.of)} ${plain(expression.not ? 'IS NOT NULL' : 'IS NULL')})`
      case 'interval':
        return sql`INTERVAL ${this.#value(expression.count)} ${plain(expression.unit)}`
      case 'tuple':
        return sql`tuple(${this.#list(expression.items)})`
      case 'array':
        return sql`[${this.#list(expression.items)}]`
      case 'index':
        return sql`${this.#value(expression.of)}[${this.#value(expression.at)}]`
      case 'lambda':
        throw sqlError('A lambda stands as an argument of a function such as arrayMap.')
      case 'placeholder':
        return this.#compiler.placeholder(expression.path, this.#scope)
      case 'query':
        return sql`(${this.#compiler.query(expression.query, this.#tables).sql})`
      case 'call':
        return this.#call(expression)
    }
  }

  #operator(operator: string, left: Expression, right: Expression): Fragment {
    if (operator === '=~') return sql`match(${this.#value(left)}, ${this.#value(right)})`
    if (operator === '!~') return sql`NOT match(${this.#value(left)}, ${this.#value(right)})`
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
    const { named } = this.#compiler.context
    if (named === undefined) throw sqlError(`${what} cannot be asked here.`)
    return named
  }

  /** Whether the event is of an action. */
  #matchesAction(args: readonly Expression[]): Fragment {
    const [action] = args
    const ref = action?.kind === 'string' ? action.value : action?.kind === 'number' ? action.text : undefined
    const source = this.#scope.sources.find(({ view }) => view?.scope !== undefined)
    const events = source?.view?.scope
    if (ref === undefined || args.length !== 1)
      throw sqlError("matchesAction takes the id or the name of an action: matchesAction('Bought').")
    if (source === undefined || events === undefined) throw sqlError('matchesAction needs events after FROM.')
    const named = this.#namedOf('matchesAction')
    return source.condition(anyOf(events, named.action(ref, 'query'), named.operators))
  }

  #in({ not, left, right }: Extract<Expression, { kind: 'in' }>): Fragment {
    const word = plain(not ? 'NOT IN' : 'IN')
    const items = right.kind === 'tuple' || right.kind === 'array' ? right.items : null
    if (items) return sql`(${this.#value(left)} ${word} (${this.#list(items)}))`
    if (right.kind === 'query' || right.kind === 'placeholder')
      return sql`(${this.#value(left)} ${word} ${this.#value(right)})`
    return sql`(${this.#value(left)} ${word} (${this.#value(right)}))`
  }

  #list = (items: readonly Expression[]): Fragment =>
    join(
      items.map((item) => this.#argument(item)),
      ', ',
    )

  #argument(argument: Expression): Fragment {
    if (argument.kind !== 'lambda') return this.#value(argument)
    this.#locals.push(...argument.names)
    try {
      const names = join(
        argument.names.map((name) => ourName(name)),
        ', ',
      )
      return sql`(${names}) -> ${this.#value(argument.body)}`
    } finally {
      this.#locals.length -= argument.names.length
    }
  }

  #call(call: Call): Fragment {
    const star = call.args.length === 1 && call.args[0]?.kind === 'star'
    if (star && !/^count$/i.test(call.name)) throw sqlError(`${call.name}(*) means nothing; only count(*) does.`)
    const args = star ? [] : call.args
    if (/^matchesAction$/i.test(call.name)) return this.#matchesAction(args)
    const special = specialCall(call.name, args, (each) => this.#argument(each), this.#compiler.context.timezone)
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
          call.over.order.length > 0 ? sql`ORDER BY ${join(call.over.order.map(this.#order), ', ')}` : sql``
        })`
      : sql``
    const given = isOfNumbers(name)
      ? join(
          args.map((each) => this.#asNumber(each)),
          ', ',
        )
      : this.#list(args)
    return sql`${ident(name)}${parameters}(${plain(call.distinct ? 'DISTINCT ' : '')}${given})${over}`
  }

  #asNumber(argument: Expression): Fragment {
    if (argument.kind !== 'name') return this.#argument(argument)
    const { value, kind } = this.#field(argument)
    return kind === 'property' ? sql`toFloat64OrNull(${value})` : value
  }

  /** Parameters of an aggregate are plain numbers, or a text such as a pattern of events. */
  #parameter(parameter: Expression): Fragment {
    if (parameter.kind === 'number' || parameter.kind === 'string') return this.#value(parameter)
    throw sqlError('Parameters of an aggregate function are plain values.')
  }
}

/** How many numbers a query may count through. */
const MOST_NUMBERS = 1_000_000

function numbers(from: number, count: number): Compiled {
  if (count > MOST_NUMBERS) throw sqlError(`numbers() counts to ${MOST_NUMBERS} at most.`)
  const all = sql`SELECT number AS ${ourName('number')} FROM numbers(${plain(String(from))}, ${plain(String(count))})`
  return { sql: all, columns: ['number'] }
}

const isNumeric = (expression: Expression): boolean =>
  expression.kind === 'number' ||
  (expression.kind === 'minus' && isNumeric(expression.of)) ||
  (expression.kind === 'operator' &&
    ARITHMETIC.has(expression.operator) &&
    isNumeric(expression.left) &&
    isNumeric(expression.right))

function unique(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name} ${times}`
  })
}
