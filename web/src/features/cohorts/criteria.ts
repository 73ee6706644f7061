import type { Cohort } from '../../api/contract.ts'
import { type Filter, readFilters } from '../insights/index.ts'
import { type Behaviour, behaviourIn, type Leaf, leafOf } from './behaviours.ts'

/** As the form holds them. */
export interface Criteria {
  /** Whether all must be true, or one is enough. */
  match: 'all' | 'any'
  properties: Filter[]
  behaviours: Behaviour[]
}

export const NO_CRITERIA: Criteria = { match: 'all', properties: [], behaviours: [] }

export const filtersOf = ({ match, properties, behaviours }: Criteria): object => ({
  properties: { type: match === 'any' ? 'OR' : 'AND', values: [...properties, ...behaviours.map(leafOf)] },
})

/** Undefined where the criteria cannot be shown in the form; they were made through the API. */
export function criteriaOf({ filters: kept }: Pick<Cohort, 'filters'>): Criteria | undefined {
  const root = (kept as { properties?: Group } | null)?.properties
  if (!root) return NO_CRITERIA
  const match = isAny(root) ? 'any' : 'all'
  const leaves = leavesOf(root, match)
  if (!leaves) return undefined
  const behaviours = leaves.filter(({ type }) => type === 'behavioral').map(behaviourIn)
  const properties = leaves.filter(({ type, negation }) => (type === 'person' || type === 'cohort') && !negation)
  const filters = readFilters(properties)
  const known = behaviours.filter((behaviour) => behaviour !== undefined)
  if (known.length + filters.length < leaves.length) return undefined
  return { match, properties: filters, behaviours: known }
}

interface Group {
  type: string
  values: (Leaf | Group)[]
}

const isGroup = (value: Leaf | Group): value is Group => Array.isArray(value.values)

/** A group of one is that one, whatever joins it. */
function isAny({ type, values }: Group): boolean {
  const [first] = values
  return values.length === 1 && first && isGroup(first) ? isAny(first) : type === 'OR' && values.length > 1
}

/** The leaves of groups that are all joined in the same way. */
function leavesOf(group: Group, match: Criteria['match']): Leaf[] | undefined {
  if (group.values.length > 1 && (group.type === 'OR') !== (match === 'any')) return undefined
  const all = group.values.map((value) => (isGroup(value) ? leavesOf(value, match) : [value]))
  return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each ?? [])
}
