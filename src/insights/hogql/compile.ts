import { Fragment, join, sql } from '../../engines/clickhouse-sql.ts'
import type { Expression, Query, Select, Table } from './ast.ts'
import { CallBudget } from './bounded-calls.ts'
import { ValueCompiler } from './compile-value.ts'
import { sqlError } from './error.ts'
import { type Placeholders, placeholder } from './placeholders.ts'
import { ourName, querySource, SelectScope, type Source, viewSource } from './scope.ts'
import { openView, TABLES, type TableName } from './tables.ts'
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

  query(query: Query, tables: ReadonlyMap<string, Query> = new Map()): Compiled {
    if (query.kind === 'select') return new SelectCompiler(this, tables).select(query)
    const first = this.query(query.first, tables)
    const rest = query.rest.map(({ operator, query }) => ({ operator, compiled: this.query(query, tables) }))
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
  readonly #values: ValueCompiler
  #tables: ReadonlyMap<string, Query>

  constructor(compiler: Compiler, tables: ReadonlyMap<string, Query>) {
    this.#compiler = compiler
    this.#tables = tables
    this.#values = new ValueCompiler({
      context: compiler.context,
      scope: this.#scope,
      query: (query) => compiler.query(query, this.#tables).sql,
      placeholder: (path) => compiler.placeholder(path, this.#scope),
      calls: compiler.calls,
    })
  }

  expression(expression: Expression, source: Source): Fragment {
    this.#scope.sources.push(source)
    return this.#values.value(expression)
  }

  select(select: Select): Compiled {
    this.#tables = new Map([...this.#tables, ...select.tables])
    this.#values.given = select.values
    const from = select.from ? this.#open(select.from) : null
    const joined = select.joins.map((join) => ({ join, source: this.#open(join.table) }))
    for (const { alias } of [...select.items, ...select.arrayJoins])
      if (alias !== null) this.#scope.aliases.set(alias, { kind: 'other' })
    const arrayJoins = select.arrayJoins.map(
      ({ of, alias }) => sql`${this.#values.value(of)}${alias === null ? sql`` : sql` AS ${ourName(alias)}`}`,
    )
    const items = select.items.flatMap((item) => this.#items(item))
    const names = unique(items.map(({ name }) => name))
    const selected = items.map(({ value }, i) => sql`${value} AS ${ourName(names[i] as string)}`)
    const where = select.where && this.#values.condition(select.where)
    const joins = joined.map(({ join, source }) => ({
      join,
      source,
      on: join.on ? this.#values.joinCondition(join.on) : this.#using(join.using, source),
    }))
    this.#values.aliasFirst = true
    const groupBy = select.groupBy.map((each) => this.#values.value(each))
    const having = select.having && this.#values.condition(select.having)
    const orderBy = select.orderBy.map((each) => this.#values.order(each))
    const limitBy = select.limitBy?.by.map((each) => this.#values.value(each))
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
    return { columns: names, nullable: items.map(({ nullable }) => nullable), sql: join(parts, '\n') }
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

  #items({ of, alias, text }: Select['items'][number]): { value: Fragment; name: string; nullable: boolean }[] {
    if (of.kind === 'star') {
      const sources = this.#scope.sources.filter(({ name }) => of.table === null || name === of.table)
      if (sources.length === 0) throw sqlError(`There is nothing that "${text}" could stand for.`)
      return sources.flatMap((source) =>
        source.columns.map((column) => {
          const { value, nullable } = source.field([column]) as Field
          return { name: column, value, nullable: nullable !== false }
        }),
      )
    }
    const { value, kind, nullable } = this.#values.field(of)
    if (alias !== null) this.#scope.aliases.set(alias, { kind, nullable })
    const name = alias ?? (of.kind === 'name' ? (of.chain.at(-1) as string) : text.slice(0, 200))
    return [{ value, name, nullable: nullable !== false }]
  }
}

/** How many numbers a query may count through. */
const MOST_NUMBERS = 1_000_000

function numbers(from: number, count: number): Compiled {
  if (count > MOST_NUMBERS) throw sqlError(`numbers() counts to ${MOST_NUMBERS} at most.`)
  const all = sql`SELECT number AS ${ourName('number')} FROM numbers(${plain(String(from))}, ${plain(String(count))})`
  return { sql: all, columns: ['number'], nullable: [false] }
}

function unique(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return times === 1 ? name : `${name} ${times}`
  })
}
