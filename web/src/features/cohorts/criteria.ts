import type { Cohort } from '../../api/contract.ts'
import type { Filter } from '../insights/index.ts'
import { readFilters } from '../insights/index.ts'

/** What somebody in a cohort did, or did not do. */
export interface Behaviour {
  did: boolean
  event: string | null
  action?: number
  name?: string
  days: number
}

/** As the form holds them; all must be true. */
export interface Criteria {
  properties: Filter[]
  behaviours: Behaviour[]
}

export const NO_CRITERIA: Criteria = { properties: [], behaviours: [] }

export const filtersOf = ({ properties, behaviours }: Criteria): object => ({
  properties: {
    type: 'AND',
    values: [
      ...properties,
      ...behaviours.map(({ did, event, action, name, days }) => ({
        type: 'behavioral',
        value: 'performed_event',
        key: action ?? event ?? '',
        event_type: action === undefined ? 'events' : 'actions',
        time_value: days,
        time_interval: 'day',
        negation: !did,
        ...(name ? { name } : {}),
      })),
    ],
  },
})

/** Undefined where the criteria cannot be shown in the form; they were made through the API. */
export function criteriaOf({ filters: kept }: Pick<Cohort, 'filters'>): Criteria | undefined {
  const root = (kept as { properties?: Group } | null)?.properties
  if (!root) return NO_CRITERIA
  const leaves = leavesOf(root)
  if (!leaves) return undefined
  const behaviours = leaves.filter(({ type }) => type === 'behavioral')
  const properties = leaves.filter(({ type }) => type === 'person' || type === 'cohort')
  const plain =
    behaviours.every(
      (leaf) => leaf.value === 'performed_event' && leaf.time_interval === 'day' && !leaf.event_filters,
    ) &&
    properties.every(({ negation }) => !negation) &&
    behaviours.length + properties.length === leaves.length
  const filters = readFilters(properties)
  if (!plain || filters.length < properties.length) return undefined
  return {
    properties: filters,
    behaviours: behaviours.map((leaf) => ({
      did: leaf.negation !== true,
      event: leaf.event_type === 'actions' ? null : String(leaf.key),
      ...(leaf.event_type === 'actions' ? { action: Number(leaf.key), name: String(leaf.name ?? leaf.key) } : {}),
      days: Number(leaf.time_value),
    })),
  }
}

interface Group {
  type: string
  values: (Leaf | Group)[]
}
type Leaf = Record<string, unknown>

/** The leaves of groups that are all joined by AND; a group of one is that one. */
function leavesOf(group: Group): Leaf[] | undefined {
  if (group.type === 'OR' && group.values.length > 1) return undefined
  const all = group.values.map((value) => (Array.isArray(value.values) ? leavesOf(value as Group) : [value as Leaf]))
  return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each ?? [])
}
