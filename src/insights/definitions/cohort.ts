/** A cohort: persons by what they are and what they did, or (static) by having been put into it. */
import {
  decoded,
  type Fields,
  isFields,
  type PropertyFilter,
  readProperties,
  rememberPlace,
} from '../../contract/queries/index.ts'
import { type Behaviour, readBehaviour } from './behaviour.ts'

export interface Cohort {
  readonly id: number
  readonly name: string | null
  readonly isStatic: boolean
  /** Who is in a cohort that is not static; nobody when it says nothing. */
  readonly criteria: Criteria
}

export type Criteria =
  | { readonly kind: 'group'; readonly type: 'AND' | 'OR'; readonly values: readonly Criteria[] }
  | { readonly kind: 'not'; readonly of: Criteria }
  | PropertyFilter
  | Behaviour

export const NOBODY: Criteria = { kind: 'group', type: 'OR', values: [] }

type Refuse = (message: string, path: readonly (string | number)[]) => never

/** `filters` as clients send them: {"properties": {"type": "OR", "values": [...]}}, or those properties alone. */
export function readCriteria(filters: unknown, refuse: Refuse): Criteria {
  const given = decoded(filters)
  if (given === undefined || given === null) return NOBODY
  const root = isFields(given) && 'properties' in given ? decoded(given.properties) : given
  if (isFields(root) && Object.keys(root).length === 0) return NOBODY
  return readNode(root, ['filters', 'properties'], refuse)
}

/** The older form: a list of groups, of which one must fit. */
export function readGroups(groups: unknown, refuse: Refuse): Criteria {
  const list = decoded(groups)
  if (!Array.isArray(list)) return refuse('Groups are a list.', ['groups'])
  return { kind: 'group', type: 'OR', values: list.map((group, at) => readOldGroup(group, ['groups', at], refuse)) }
}

function readOldGroup(group: unknown, path: readonly (string | number)[], refuse: Refuse): Criteria {
  if (!isFields(group)) return refuse('A group is an object with properties, or with event_id and days.', path)
  const done = group.event_id ?? group.action_id
  if (done === undefined || done === null)
    return readNode({ type: 'AND', values: decoded(group.properties) ?? [] }, [...path, 'properties'], refuse)
  const item = {
    type: 'behavioral',
    key: done,
    value: group.count === undefined ? 'performed_event' : 'performed_event_multiple',
    event_type: group.event_id === undefined || group.event_id === null ? 'actions' : 'events',
    time_value: group.days ?? 7,
    time_interval: 'day',
    operator: group.count_operator ?? 'gte',
    operator_value: group.count,
  }
  return readNode(item, path, refuse)
}

function readNode(value: unknown, path: readonly (string | number)[], refuse: Refuse): Criteria {
  if (Array.isArray(value)) return readNode({ type: 'AND', values: value }, path, refuse)
  if (!isFields(value))
    return refuse('A criterion is an object such as {"type": "person", "key": "email", "value": "a@b.c"}.', path)
  if ((value.type === 'AND' || value.type === 'OR') && Array.isArray(value.values)) {
    const values = value.values.map((each, at) => readNode(decoded(each), [...path, 'values', at], refuse))
    return { kind: 'group', type: value.type, values }
  }
  const leaf = readLeaf(value, path, refuse)
  return value.negation === true || value.negation === 'true' ? { kind: 'not', of: leaf } : leaf
}

function readLeaf(fields: Fields, path: readonly (string | number)[], refuse: Refuse): Criteria {
  switch (fields.type) {
    case 'behavioral':
      return readBehaviour(fields, path, refuse)
    case undefined:
    case null:
    case 'person':
    case 'cohort':
    case 'static-cohort':
    case 'precalculated-cohort': {
      const type = fields.type ?? 'person'
      const [item] = readProperties([{ ...fields, type }], (message, at) =>
        refuse(message, [...path, ...at.slice(1)]),
      ).values
      if (item?.kind !== 'property') return refuse('The criterion has no key, or no value.', path)
      return rememberPlace(item, path)
    }
  }
  return refuse(
    `Cohorts are made of criteria of type person, behavioral or cohort, not ${JSON.stringify(fields.type)}.`,
    [...path, 'type'],
  )
}
