import { type Fragment, ident, join, sql } from '../../engines/clickhouse-sql.ts'
import { inDocument } from './document.ts'
import { sqlError } from './error.ts'
import { fieldName, ourName } from './our-names.ts'
import type { Field, View } from './view.ts'

/** Something after FROM: it has an alias of ours, and fields. */
export interface Source {
  /** What the client calls it. */
  readonly name: string | null
  readonly columns: readonly string[]
  readonly view: View | null
  field(chain: readonly string[]): Field | undefined
  /** A condition on what is behind a view, to be used outside of it. */
  condition(inside: Fragment): Fragment
  /** Taken last. */
  render(): Fragment
}

/** A view of the project: a subquery that selects exactly the fields that were asked for. */
export function viewSource(view: View, alias: string, name: string | null): Source {
  const needed = new Map<string, { readonly name: string; readonly field: Field }>()
  const also = (inside: Fragment): Fragment => {
    const name = `f${needed.size}`
    needed.set(name, { name, field: { value: inside, kind: 'other' } })
    return sql`${ident(alias)}.${ident(name)}`
  }
  return {
    name,
    view,
    columns: view.columns,
    field(chain) {
      const key = JSON.stringify(chain)
      let found = needed.get(key)
      if (!found) {
        const field = view.field(chain)
        if (!field) return undefined
        found = { name: fieldName(needed.size, chain), field }
        needed.set(key, found)
      }
      const { kind, nullable, text } = found.field
      const value = sql`${ident(alias)}.${ident(found.name)}`
      return text ? { value, kind, nullable, text: () => also(text()) } : { value, kind, nullable }
    },
    condition: also,
    render() {
      const fields = [...needed.values()].map(({ name, field }) => sql`${field.value} AS ${ident(name)}`)
      return sql`(SELECT ${fields.length > 0 ? join(fields, ', ') : sql`1 AS f`} FROM ${view.from()}) AS ${ident(alias)}`
    },
  }
}

/** The rows a statement of ours is about: what is asked of them stands in that statement itself. */
export const rowSource = (view: View, name: string): Source => ({
  name,
  view,
  columns: view.columns,
  field: (chain) => view.field(chain),
  condition: (inside) => inside,
  render: () => view.from(),
})

/** A query inside the query. */
export function querySource(
  query: { sql: Fragment; columns: readonly string[]; nullable: readonly boolean[] },
  alias: string,
  name: string | null,
): Source {
  return {
    name,
    view: null,
    columns: query.columns,
    field([column = '', ...path]) {
      const at = query.columns.indexOf(column)
      if (at < 0) return undefined
      const value = sql`${ident(alias)}.${ourName(column)}`
      return path.length === 0
        ? { value, kind: 'other', nullable: query.nullable[at] }
        : inDocument(sql`ifNull(toString(${value}), '')`, path)
    },
    condition() {
      throw sqlError('{filters} needs a table after FROM in the same SELECT.')
    },
    render: () => sql`(${query.sql}) AS ${ident(alias)}`,
  }
}

/** What a name can mean inside one SELECT. */
export class SelectScope {
  readonly sources: Source[] = []
  /** What a selected column is, once that is known. */
  readonly aliases = new Map<string, Pick<Field, 'kind' | 'nullable'>>()

  alias(name: string): Field | undefined {
    const known = this.aliases.get(name)
    return known && { value: sql`${ourName(name)}`, ...known }
  }

  field(chain: readonly string[]): Field | undefined {
    const [first, ...rest] = chain
    const named = this.sources.find(({ name }) => name !== null && name === first)
    if (named && rest.length > 0) {
      const found = named.field(rest)
      if (found) return found
    }
    for (const source of this.sources) {
      const found = source.field(chain)
      if (found) return found
    }
    return undefined
  }

  /** What a name could have meant. */
  names(): string[] {
    const columns = this.sources.flatMap(({ name, columns }) => [...columns, ...(name === null ? [] : [name])])
    return [...columns, ...this.aliases.keys()]
  }

  /** The first of the sources that reads events or sessions: what {filters} is about. */
  filtered(): Source {
    const source = this.sources.find(({ view }) => view !== null)
    if (!source) throw sqlError('{filters} needs a table after FROM in the same SELECT.')
    return source
  }
}
