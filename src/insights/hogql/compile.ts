import { and, Fragment, join, sql } from '../../engines/clickhouse-sql.ts'
import { aliasesOf } from './aliases-of.ts'
import type { Expression, Query, Sample, Select, Star, Table, Window } from './ast.ts'
import { CallBudget } from './bounded-calls.ts'
import { ValueCompiler } from './compile-value.ts'
import { countOf } from './constant-count.ts'
import { didYouMean } from './did-you-mean.ts'
import { sqlError } from './error.ts'
import { numbersBetween } from './numbers.ts'
import { ourName } from './our-names.ts'
import { type Placeholders, placeholder, valueGiven } from './placeholders.ts'
import { querySource, SelectScope, type Source, viewSource } from './scope.ts'
import { SYSTEM_TABLES } from './system-tables.ts'
import { openView, TABLES } from './tables.ts'
import { plain } from './values.ts'
import type { Field, ViewContext } from './view.ts'

/**
 * From the tree to the engine's SQL: statements here, values in compile-value.ts. Only what these two write reaches the
 * engine: tables become views of one project, names become names of ours, texts become parameters, functions come from
 * a list. A query can therefore say nothing that is not meant here.
 */
interface Compiled {
  readonly sql: Fragment
  readonly columns: readonly string[]
  /** Which of them may be NULL. */
  readonly nullable: readonly boolean[]
}

interface Column {
  readonly value: Fragment
  readonly name: string
  readonly nullable: boolean
  /** The alias inside an expression that it repeats. */
  readonly isAlias?: string | undefined
}

type NamedTable = Extract<Table['of'], { kind: 'table' }>

/** What WITH gives names to. */
type Named = Pick<Select, 'tables' | 'values'>
const NOTHING_NAMED: Named = { tables: new Map(), values: new Map() }

const extended = (named: Named, { tables, values }: Named): Named => ({
  tables: new Map([...named.tables, ...tables]),
  values: new Map([...named.values, ...values]),
})

const leading = (query: Query): Named => (query.kind === 'select' ? query : leading(query.first))

export class Compiler {
  readonly #context: ViewContext
  readonly #placeholders: Placeholders | null
  readonly calls = new CallBudget()
  #sources = 0

  /** Without `placeholders` nothing may stand in braces. */
  constructor(context: ViewContext, placeholders: Placeholders | null) {
    this.#context = context
    this.#placeholders = placeholders
  }

  query(query: Query, named: Named = NOTHING_NAMED): Compiled {
    if (query.kind === 'select') return new SelectCompiler(this, named).select(query)
    const first = this.query(query.first, named)
    // What WITH names before the first SELECT, the others see too.
    const shared = extended(named, leading(query.first))
    const rest = query.rest.map(({ operator, query }) => ({ operator, compiled: this.query(query, shared) }))
    return {
      columns: first.columns,
      nullable: first.columns.map((_, i) =>
        [first, ...rest.map(({ compiled }) => compiled)].some((each) => each.nullable[i] !== false),
      ),
      sql: sql`(${first.sql})${join(
        rest.map(({ operator, compiled }) => sql` ${plain(operator)} (${compiled.sql})`),
        '\n',
      )}`,
    }
  }

  /** An expression about the rows of `source`, to stand in a statement that reads them. */
  expression(expression: Expression, source: Source): Fragment {
    return new SelectCompiler(this, NOTHING_NAMED).expression(expression, source)
  }

  get context(): ViewContext {
    return this.#context
  }

  placeholder(path: readonly string[], scope: SelectScope): Fragment {
    if (this.#placeholders === null) throw sqlError(`{${path.join('.')}} can stand in a query, not in an expression.`)
    return placeholder(path, scope, this.#placeholders)
  }

  /** A whole number that is known beforehand. */
  count(expression: Expression, what: string): number {
    return countOf(expression, what, (path) => this.#placeholders && valueGiven(path, this.#placeholders))
  }

  nextAlias(): string {
    if (this.#sources >= 50) throw sqlError('The query reads too many tables.')
    return `t${this.#sources++}`
  }
}

class SelectCompiler {
  readonly #compiler: Compiler
  readonly #scope = new SelectScope()
  readonly #values: ValueCompiler
  #named: Named
  #windows: ReadonlyMap<string, Window> = new Map()

  constructor(compiler: Compiler, named: Named) {
    this.#compiler = compiler
    this.#named = named
    this.#values = new ValueCompiler({
      context: compiler.context,
      scope: this.#scope,
      query: (query) => compiler.query(query, this.#named).sql,
      placeholder: (path) => compiler.placeholder(path, this.#scope),
      window: (name) => this.#window(name),
      calls: compiler.calls,
    })
  }

  #window(name: string): Fragment {
    if (this.#windows.has(name)) return ourName(name)
    throw sqlError(`There is no window "${name}" in WINDOW.${didYouMean(name, this.#windows.keys())}`)
  }

  expression(expression: Expression, source: Source): Fragment {
    this.#scope.sources.push(source)
    return this.#values.value(expression)
  }

  select(select: Select): Compiled {
    this.#named = extended(this.#named, select)
    this.#values.given = this.#named.values
    this.#windows = select.windows ?? new Map()
    const from = select.from ? this.#open(select.from) : null
    const joined = select.joins.map((join) => ({ join, source: this.#open(join.table) }))
    for (const name of aliasesOf(select)) this.#scope.aliases.set(name, { kind: 'other' })
    const arrayJoins = select.arrayJoins.map(
      ({ of, alias }) => sql`${this.#values.value(of)}${alias === null ? sql`` : sql` AS ${ourName(alias)}`}`,
    )
    const items = select.items.flatMap((item) => this.#items(item))
    const names = unique(items.map(({ name }) => name))
    const selected = items.map(({ value, isAlias }, i) => {
      const name = names[i] as string
      // A name that an expression gives cannot be given again.
      return isAlias === name ? value : sql`${value} AS ${ourName(name)}`
    })
    const prewhere = select.prewhere && this.#values.condition(select.prewhere)
    const where = select.where && this.#values.condition(select.where)
    const joins = joined.map(({ join, source }) => ({
      join,
      source,
      on: join.on ? this.#values.joinCondition(join.on) : this.#using(join.using, source),
    }))
    this.#values.aliasFirst = true
    const groupBy = select.groupBy.map((each) => this.#values.value(each))
    const having = select.having && this.#values.condition(select.having)
    const windows = [...this.#windows].map(([name, each]) => sql`${ourName(name)} AS ${this.#values.window(each)}`)
    const qualify = select.qualify && this.#values.condition(select.qualify)
    const orderBy = select.orderBy.map((each) => this.#values.order(each))
    const limitBy = select.limitBy?.by.map((each) => this.#values.value(each))
    const parts = [
      sql`SELECT ${plain(select.distinct ? 'DISTINCT ' : '')}${join(selected, ', ')}`,
      from && sql`FROM ${from.render()}`,
      ...joins.map(({ join, source, on }) => sql`${plain(join.type)} ${source.render()}${on ? sql` ON ${on}` : sql``}`),
      arrayJoins.length > 0 && sql`${plain(select.keepsEmpty ? 'LEFT ' : '')}ARRAY JOIN ${join(arrayJoins, ', ')}`,
      // What stands behind a table here is a view: the engine itself moves conditions before the reading of columns.
      (prewhere || where) && sql`WHERE ${and([prewhere, where].filter((each) => each instanceof Fragment))}`,
      groupBy.length > 0 && sql`GROUP BY ${join(groupBy, ', ')}`,
      select.groupsByAll === true && sql`GROUP BY ALL`,
      having && sql`HAVING ${having}`,
      windows.length > 0 && sql`WINDOW ${join(windows, ', ')}`,
      qualify && sql`QUALIFY ${qualify}`,
      orderBy.length > 0 && sql`ORDER BY ${join(orderBy, ', ')}`,
      limitBy && select.limitBy && sql`${this.#limit(select.limitBy)} BY ${join(limitBy, ', ')}`,
      this.#limit({ count: select.limit, offset: select.offset, ties: select.withTies }),
    ].filter((part) => part instanceof Fragment)
    return {
      columns: names,
      nullable: items.map(({ nullable }) => nullable),
      sql: markingMore(join(parts, '\n'), select.marksMore),
    }
  }

  #limit({
    count,
    offset,
    ties,
  }: {
    count: Expression | null
    offset: Expression | null
    ties?: boolean | undefined
  }): Fragment {
    const limit = count && this.#compiler.count(count, 'LIMIT')
    const skipped = offset && this.#compiler.count(offset, 'OFFSET')
    const words = [
      ...(limit === null ? [] : [`LIMIT ${limit}`]),
      ...(skipped === null ? [] : [`OFFSET ${skipped}`]),
      ...(ties ? ['WITH TIES'] : []),
    ]
    return plain(words.join(' '))
  }

  #open({ of, alias, sample }: Table): Source {
    const ours = this.#compiler.nextAlias()
    const source =
      of.kind === 'query'
        ? querySource(this.#compiler.query(of.query, this.#named), ours, alias)
        : of.kind === 'numbers'
          ? querySource(this.#numbers(of.args), ours, alias)
          : this.#table(of, ours, alias, sample)
    this.#scope.sources.push(source)
    return source
  }

  #table({ name, place }: NamedTable, ours: string, alias: string | null, sample: Sample | undefined): Source {
    const { tables } = this.#named
    const common = tables.get(name)
    if (common) {
      // A table of WITH sees those before it, not itself: there is no recursion.
      const visible = new Map([...tables].filter(([other]) => other !== name))
      return querySource(this.#compiler.query(common, { ...this.#named, tables: visible }), ours, alias ?? name)
    }
    const view = openView(name, this.#compiler.context, sample)
    if (view === undefined) {
      const known = name.startsWith('system.') ? Object.keys(SYSTEM_TABLES) : [...tables.keys(), ...TABLES]
      throw sqlError(`Unknown table "${name}". There are ${known.join(', ')}.${didYouMean(name, known)}`, place)
    }
    return viewSource(view, ours, alias ?? name.slice(name.lastIndexOf('.') + 1))
  }

  /** Counted before the query runs: no column and no query can stand in it. */
  #numbers(args: readonly Expression[]): Compiled {
    const values = new ValueCompiler({
      context: this.#compiler.context,
      scope: new SelectScope(),
      query: () => {
        throw sqlError('numbers takes a number, not a query.')
      },
      placeholder: (path) => this.#compiler.placeholder(path, new SelectScope()),
      window: (name) => this.#window(name),
      calls: this.#compiler.calls,
    })
    values.given = this.#named.values
    return numbersBetween(args, values)
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

  #refuseUnknownColumns({ except = [], replace }: Star, sources: readonly Source[]): void {
    const columns = sources.flatMap((source) => source.columns)
    for (const name of [...except, ...(replace?.keys() ?? [])])
      if (!columns.includes(name)) throw sqlError(`"*" has no column "${name}".${didYouMean(name, columns)}`)
  }

  #items({ of, alias, text }: Select['items'][number]): Column[] {
    if (of.kind === 'star') {
      const sources = this.#scope.sources.filter(({ name }) => of.table === null || name === of.table)
      if (sources.length === 0) throw sqlError(`There is nothing that "${text}" could stand for.`)
      this.#refuseUnknownColumns(of, sources)
      return sources.flatMap((source) =>
        source.columns
          .filter((column) => !of.except?.includes(column))
          .map((column) => {
            const replaced = of.replace?.get(column)
            const { value, nullable } = replaced ? this.#values.field(replaced) : (source.field([column]) as Field)
            return { name: column, value, nullable: nullable !== false }
          }),
      )
    }
    const { value, kind, nullable } = this.#values.field(of)
    if (alias !== null) this.#scope.aliases.set(alias, { kind, nullable })
    const name = alias ?? (of.kind === 'name' ? (of.chain.at(-1) as string) : text.slice(0, 200))
    const [only] = of.kind === 'name' && of.chain.length === 1 ? of.chain : []
    const isAlias = only !== undefined && this.#scope.aliases.has(only) && !this.#scope.field([only]) ? only : undefined
    return [{ value, name, nullable: nullable !== false, isAlias }]
  }
}

function markingMore(select: Fragment, marks: Select['marksMore']): Fragment {
  if (marks === undefined) return select
  if (marks.rows === null) return sql`SELECT *, 0 AS more FROM (${select})`
  const rows = plain(String(marks.rows))
  return sql`SELECT *, count() OVER () > ${rows} AS more FROM (${select}) LIMIT ${rows}`
}

function unique(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name} ${times}`
  })
}
