import type { Fragment } from '../../engines/clickhouse-sql.ts'
import type { EventScope, ScopeContext } from '../sql/event-scope.ts'

/**
 * What a query may read: views of one project. A view names its columns and says how each is read from the tables
 * behind it.
 */
export interface ViewContext extends ScopeContext {
  readonly propertyType: PropertyTypeOf
  /** The types of groups by their names, where they are known. */
  readonly groupTypes?: ReadonlyMap<string, number> | undefined
  /** What stands in the tables about the project itself: rows by the name of the table. */
  readonly system?: SystemRows | undefined
}

export type SystemRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** What a property was seen to be; texts where nothing is known. */
export type PropertyTypeOf = (
  of: 'event' | 'person' | 'group',
  key: string,
) => 'String' | 'Numeric' | 'Boolean' | 'DateTime' | null

export interface Field {
  readonly value: Fragment
  /** `property`: a text that may well be a number; `json`: a text that holds a document. */
  readonly kind: 'property' | 'json' | 'other'
  /** False when no row can lack it; what does not say so may be NULL. */
  readonly nullable?: boolean | undefined
  /** Of a property that is read as a number, a boolean or a time: the text that was sent. */
  text?(): Fragment
}

export interface View {
  /** What `*` stands for. */
  readonly columns: readonly string[]
  field(chain: readonly string[]): Field | undefined
  /** Where the fields are read from, with the condition on the project. Taken last, when it is known what is needed. */
  from(): Fragment
  /** The scope behind events, for conditions that filters make. */
  readonly scope?: EventScope
}
