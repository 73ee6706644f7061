import { type Bots, NO_FILTERS, type PropertyFilter, type PropertyGroup } from '../../contract/queries/index.ts'

const byMark = (operator: 'exact' | 'is_not'): PropertyGroup => {
  const filter: PropertyFilter = { kind: 'property', type: 'event', key: '$is_bot', operator, values: ['true'] }
  return { kind: 'group', type: 'AND', values: [filter] }
}

/** Ingestion marks events of bots; an event without a mark is of a person. */
export function botFilters(bots: Bots | undefined): PropertyGroup {
  if (bots === 'exclude') return byMark('is_not')
  return bots === 'only' ? byMark('exact') : NO_FILTERS
}
