import type { Filter, FilterGroups, Match } from './filter.ts'

export type { FilterGroup, FilterGroups, Match } from './filter.ts'

export const MOST_GROUPS = 10

export interface Filtered {
  filters?: Filter[] | undefined
  filterGroups?: FilterGroups | undefined
}

export const groupsOf = ({ filters = [], filterGroups }: Filtered): FilterGroups =>
  filterGroups ?? { match: 'all', groups: [{ match: 'all', filters }] }

/** In the shortest form that says the same. Empty groups stay while they are being filled. */
export function filteredBy({ match: joined, groups }: FilterGroups): Filtered {
  if (groups.length <= 1) {
    const [{ match: own = 'all', filters = [] } = {}] = groups
    if (own === 'all' || filters.length < 2) return filters.length > 0 ? { filters } : {}
  }
  return { filterGroups: { match: joined, groups } }
}

export const allFilters = ({ filters = [], filterGroups }: Filtered): Filter[] =>
  filterGroups ? filterGroups.groups.flatMap((group) => group.filters) : filters

/** Undefined where groups stand in groups, or something else than filters. */
export function filteredIn(properties: unknown): Filtered | undefined {
  const root = groupIn(properties)
  if (!root) return (properties ?? null) === null ? {} : undefined
  const inner = root.values.map((value) => (isGroupLike(value) ? groupIn(value) : undefined))
  if (inner.some((group, at) => (group === undefined) !== !isGroupLike(root.values[at]))) return undefined
  if (inner.some((group) => group?.values.some(isGroupLike))) return undefined
  // A list besides groups is a group of its own, where that says the same.
  const loose = root.values.filter((value) => !isGroupLike(value))
  const lists = inner.filter((group) => group !== undefined)
  const groups = lists.map(({ type, values }) => ({ match: matchOf(type), filters: values as Filter[] }))
  if (lists.length === 0)
    return simplest({ match: 'all', groups: [{ match: matchOf(root.type), filters: loose as Filter[] }] })
  return simplest({
    match: matchOf(root.type),
    groups: loose.length > 0 ? [{ match: matchOf(root.type), filters: loose as Filter[] }, ...groups] : groups,
  })
}

/** A group of one is joined by whatever; groups that all must hold, of filters that all must hold, are one list. */
function simplest({ match: joined, groups }: FilterGroups): Filtered {
  const shown = groups
    .filter(({ filters }) => filters.length > 0)
    .map((group) => (group.filters.length === 1 ? { ...group, match: 'all' as const } : group))
  const isPlain = (joined === 'all' || shown.length < 2) && shown.every((group) => group.match === 'all')
  if (isPlain) {
    const filters = shown.flatMap((group) => group.filters)
    return filters.length > 0 ? { filters } : {}
  }
  return { filterGroups: { match: shown.length < 2 ? 'all' : joined, groups: shown } }
}

const matchOf = (type: unknown): Match => (type === 'OR' ? 'any' : 'all')

interface WireGroup {
  type: unknown
  values: unknown[]
}

const isGroupLike = (value: unknown): boolean =>
  Array.isArray(value) || (typeof value === 'object' && value !== null && Array.isArray((value as WireGroup).values))

function groupIn(value: unknown): WireGroup | undefined {
  if (Array.isArray(value)) return { type: 'AND', values: value }
  return isGroupLike(value) ? (value as WireGroup) : undefined
}
