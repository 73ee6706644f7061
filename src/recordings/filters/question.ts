import type { PropertyFilter, PropertyGroup } from '../../contract/queries/index.ts'
import type { EventCriterion } from '../../insights/index.ts'
import type { SessionColumn } from '../find/session-columns.ts'

/** What a list of recordings is asked, whichever form it was written in. */
export interface RecordingsQuestion {
  /** As people write dates; `dateFrom` undefined means the default, null no bound at all. */
  readonly dateFrom?: string | null | undefined
  readonly dateTo?: string | null | undefined
  /** Only these, and in this order. */
  readonly sessionIds?: readonly string[] | undefined
  readonly person?: string | undefined
  readonly distinctIds?: readonly string[] | undefined
  readonly operand: 'AND' | 'OR'
  /** What must have happened in the session: joined by the operand. */
  readonly criteria: readonly Criterion[]
  /** On the columns of the listing: all must hold. */
  readonly having: readonly Predicate[]
  readonly filterTestAccounts: boolean
  readonly hideViewed?: 'current-user' | 'any-user' | undefined
  readonly order: SessionColumn
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
  /** The persons of a step of an insight, as its actors query says. */
  readonly actors?: unknown
}

export type Criterion =
  | ({ readonly kind: 'event'; readonly negated: boolean } & EventCriterion)
  | { readonly kind: 'property'; readonly filter: PropertyFilter }
  | { readonly kind: 'console'; readonly about: 'level' | 'message'; readonly filter: PropertyFilter }
  | { readonly kind: 'page'; readonly filter: PropertyFilter }

export interface Predicate {
  readonly column: SessionColumn
  readonly filter: PropertyFilter
}

/** Every property filter in a question. */
export function filtersIn({ criteria, having }: RecordingsQuestion): PropertyGroup[] {
  const one = (filter: PropertyFilter): PropertyGroup => ({ kind: 'group', type: 'AND', values: [filter] })
  return [
    ...criteria.map((criterion) => (criterion.kind === 'event' ? criterion.properties : one(criterion.filter))),
    ...having.map(({ filter }) => one(filter)),
  ]
}
