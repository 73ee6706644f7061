/** Queries as random trees of the grammar: most mean something, some do not, all from the numbers that are drawn. */
import type { FunctionRow } from '../../../src/insights/hogql/functions/row.ts'
import { FUNCTIONS } from '../../../src/insights/hogql/functions.ts'
import {
  AGGREGATES,
  JOINS,
  LETTERS,
  LIMITS,
  LITERALS,
  NOTHING,
  TABLES,
  type Table,
  TEMPLATES,
  TYPES,
  type Type,
  UNIONS,
  WINDOWS,
} from './random-sql-parts.ts'

const DEEPEST = 3

const PLAIN_FUNCTIONS: readonly FunctionRow[] = FUNCTIONS.filter(
  ({ family }) => family !== 'aggregates' && family !== 'windows',
)

export class RandomSql {
  readonly #draw: () => number

  constructor(draw: () => number) {
    this.#draw = draw
  }

  query(depth = 0): string {
    const select = this.#select(depth)
    if (depth > 1 || !this.#chance(0.2)) return select
    const [first, second] = [select, this.#select(depth)].map((each) => (this.#chance(0.3) ? `(${each})` : each))
    return `${first} ${this.#one(UNIONS)} ${second}${depth === 0 && this.#chance(0.2) ? ';' : ''}`
  }

  /** A query around one function, its arguments changed. */
  #call(fields: Table['fields']): string {
    const { example } = this.#one(PLAIN_FUNCTIONS)
    return example.replace(/'[^']*'|(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g, (found) => {
      if (this.#chance(0.6)) return found
      return `(${this.#value(found.startsWith("'") ? 'text' : 'number', fields, DEEPEST - 1)})`
    })
  }

  #select(depth: number): string {
    const inner = depth < 2 && this.#chance(0.25)
    const { from, fields } = inner ? this.#subquery(depth) : this.#table()
    const write = (template: string) => this.#fill(template, fields, 0)
    const value = () => this.#value(this.#one(TYPES), fields, 0)
    const condition = () => this.#value('condition', fields, 0)
    const grouped = this.#chance(0.3)
    const windowed = !grouped && this.#chance(0.2)
    const keys = Array.from({ length: 1 + this.#upTo(2) }, value)
    if (this.#chance(0.15)) keys.push(this.#call(fields))
    const items = grouped ? [...keys, write(this.#one(AGGREGATES))] : keys
    if (windowed) items.push(write(this.#one(WINDOWS)))
    const named = items.map((item, i) => (this.#chance(0.6) ? `${item} as c${i}` : item))
    const parts = [
      this.#chance(0.15) ? this.#with(write) : '',
      `select ${this.#distinct(keys)}${this.#star(inner && !grouped)}${named.join(', ')}${this.#chance(0.05) ? ',' : ''}`,
      ` from ${from}`,
      this.#chance(0.1) && !inner ? ` ${this.#join(depth)}` : '',
      this.#chance(0.1)
        ? ` ${this.#one(['array join', 'left array join', 'inner array join'])} ${this.#value('list', fields, 1)} as item`
        : '',
      this.#chance(0.08) ? ` prewhere ${condition()}` : '',
      this.#chance(0.5) ? ` where ${condition()}` : '',
      grouped ? ` group by ${this.#one([keys.join(', '), keys.map((_, i) => i + 1).join(', '), 'all'])}` : '',
      grouped && this.#chance(0.3) ? ` having ${write('count() > N')}` : '',
      windowed ? ` window w as (${write('partition by T order by N')})` : '',
      windowed && this.#chance(0.3) ? ' qualify row_number() over w < 3' : '',
      this.#orderBy(fields, grouped),
    ]
    const most = parts.join('')
    if (most.endsWith('with ties')) return most
    return `${most}${most.includes('distinct on') ? this.#one(LIMITS) : this.#limit(fields)}`
  }

  #with(write: (template: string) => string): string {
    const table = this.#one(['t as', 't (x) as', 't (x) as materialized', 't as not materialized', 'final as'])
    return `with ${write('N')} as given, ${table} (select 1) `
  }

  #distinct(keys: readonly string[]): string {
    return this.#chance(0.1) ? this.#one(['distinct ', `distinct on (${keys[0]}) `]) : ''
  }

  #star(ofSubquery: boolean): string {
    if (!ofSubquery || !this.#chance(0.15)) return ''
    return this.#one(['*, ', 's.*, ', '* except (a), ', 's.* exclude b, ', '* replace (1 as a), '])
  }

  #subquery(depth: number): Table {
    const fields = { ...NOTHING, number: ['s.a', 'a'], text: ['s.b', 'b'] }
    const { from, fields: inside } = this.#table()
    const [a, b] = [this.#value('number', inside, 1), this.#value('text', inside, 1)]
    const more = this.#chance(0.2) && depth < 1 ? ` where 1 in (${this.query(depth + 2)})` : ''
    return { from: `(select ${a} as a, ${b} as b from ${from}${more}) as s`, fields }
  }

  #table(): Table {
    const table = this.#one(TABLES)
    const sample =
      table.from === 'events' && this.#chance(0.1) ? this.#one([' sample 0.5 as ev', ' sample 1/2 offset 1/4']) : ''
    return { ...table, from: `${table.from}${sample}` }
  }

  #join(depth: number): string {
    const kind = this.#chance(0.1) ? 'asof join' : this.#one(JOINS)
    const right = `(${depth > 0 ? 'select 1 as distinct_id, 2 as v' : 'select distinct_id, 1 as v from events'}) as r`
    if (kind === 'cross join') return this.#one([`cross join ${right}`, `, ${right}`])
    if (kind === 'asof join') return `asof join ${right} on distinct_id = r.distinct_id and 1 >= r.v`
    return `${kind} ${right} ${this.#one(['on distinct_id = r.distinct_id', 'using (distinct_id)', 'using distinct_id'])}`
  }

  #orderBy(fields: Table['fields'], grouped: boolean): string {
    if (!this.#chance(0.4)) return ''
    if (grouped) return ' order by 1 desc'
    const fill = this.#chance(0.1) ? this.#one([' with fill', ' with fill from 0 to 10', ' with fill step 2']) : ''
    const order = this.#one(['', ' desc', ' asc nulls first', ' nulls last'])
    return ` order by ${this.#value('number', fields, 1)}${order}${fill}${this.#chance(0.1) ? ' limit 2 with ties' : ''}`
  }

  #limit(fields: Table['fields']): string {
    const by = this.#chance(0.1)
      ? ` limit 2${this.#chance(0.5) ? ' offset 1' : ''} by ${this.#value('text', fields, 2)}`
      : ''
    return by + this.#one(LIMITS)
  }

  #value(type: Type, fields: Table['fields'], depth: number): string {
    const own = fields[type]
    if (own.length > 0 && this.#chance(0.5)) return this.#one(own)
    if (depth >= DEEPEST || this.#chance(0.3)) return this.#one(LITERALS[type])
    return this.#fill(this.#one(TEMPLATES[type]), fields, depth + 1)
  }

  #fill(template: string, fields: Table['fields'], depth: number): string {
    return template.replace(/'[^']*'|\bT2\b|\b[NTCML]\b/g, (found) =>
      LETTERS[found] ? this.#value(LETTERS[found] as Type, fields, depth) : found === 'T2' ? "'b'" : found,
    )
  }

  #one<T>(items: readonly T[]): T {
    return items[this.#upTo(items.length)] as T
  }

  #upTo(count: number): number {
    return Math.floor(this.#draw() * count)
  }

  #chance(of: number): boolean {
    return this.#draw() < of
  }
}
