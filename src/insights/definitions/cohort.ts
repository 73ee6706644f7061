/** A cohort: persons by what they are and what they did, or (static) by having been put into it. */
import { z } from 'zod'
import {
  actionsNodeSchema,
  decoded,
  eventsNodeSchema,
  type Fields,
  isFields,
  type PropertyFilter,
  readProperties,
  rememberPlace,
  rememberPlaces,
  type SeriesNode,
} from '../../contract/queries/index.ts'
import { isDate, notADate } from '../../lib/parse-date.ts'

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

export interface Behaviour {
  readonly kind: 'behaviour'
  readonly node: SeriesNode
  /** `first`: for the first time ever. */
  readonly did: 'ever' | 'first'
  readonly within: { readonly count: number; readonly unit: TimeUnit } | { readonly from: string; readonly to?: string }
  /** How often; at least once when absent. */
  readonly times?: { readonly is: '=' | '>=' | '>' | '<=' | '<'; readonly count: number } | undefined
}

const TIME_UNITS = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const
export type TimeUnit = (typeof TIME_UNITS)[number]

export const NOBODY: Criteria = { kind: 'group', type: 'OR', values: [] }

type Refuse = (message: string, path: readonly (string | number)[]) => never

const COUNTS = { exact: '=', eq: '=', gte: '>=', gt: '>', lte: '<=', lt: '<' } as const
const whole = z.coerce.number().int().min(0).max(1_000_000)
const behaviour = z.object({
  key: z.union([z.string(), z.number()]).transform(String),
  value: z.string(),
  event_type: z.enum(['events', 'actions']).nullish(),
  time_value: whole.nullish(),
  time_interval: z.enum(TIME_UNITS).nullish(),
  explicit_datetime: z.string().nullish(),
  explicit_datetime_to: z.string().nullish(),
  operator: z.enum(['exact', 'eq', 'gte', 'gt', 'lte', 'lt']).nullish(),
  operator_value: whole.nullish(),
  event_filters: z.unknown().optional(),
})

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

const DID: Record<string, Behaviour['did']> = {
  performed_event: 'ever',
  performed_event_multiple: 'ever',
  performed_event_first_time: 'first',
}

function readBehaviour(fields: Fields, path: readonly (string | number)[], refuse: Refuse): Behaviour {
  const parsed = behaviour.safeParse(fields)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refuse(issue?.message ?? 'Not understood.', [...path, ...(issue?.path ?? []).map(String)])
  }
  const { key, value, event_type, time_value, time_interval, operator, operator_value } = parsed.data
  const { explicit_datetime, explicit_datetime_to, event_filters } = parsed.data
  const did = Object.hasOwn(DID, value) ? DID[value] : undefined
  if (did === undefined)
    return refuse(`${JSON.stringify(value)} is not supported: send ${Object.keys(DID).join(', ')}.`, [...path, 'value'])
  for (const [name, text] of Object.entries({ explicit_datetime, explicit_datetime_to }))
    if (text && !isDate(text)) return refuse(notADate(text), [...path, name])
  if (!explicit_datetime && !(time_value && time_interval))
    return refuse('Say in which time: time_value and time_interval, or explicit_datetime.', [...path, 'time_value'])
  if (value === 'performed_event_multiple' && (operator_value === undefined || operator_value === null))
    return refuse('Say how often: operator_value.', [...path, 'operator_value'])
  const shared = { properties: event_filters }
  const node =
    event_type === 'actions'
      ? actionsNodeSchema.safeParse({ ...shared, kind: 'ActionsNode', id: key })
      : eventsNodeSchema.safeParse({ ...shared, kind: 'EventsNode', event: key })
  if (!node.success) {
    const [issue] = node.error.issues
    const [first, ...rest] = (issue?.path ?? []).map(String)
    return refuse(issue?.message ?? 'Not understood.', [
      ...path,
      ...(first === 'properties' ? ['event_filters', ...rest] : ['key']),
    ])
  }
  rememberPlaces(node.data.properties, [...path, 'event_filters'])
  return {
    kind: 'behaviour',
    node: node.data,
    did,
    within: explicit_datetime
      ? { from: explicit_datetime, ...(explicit_datetime_to ? { to: explicit_datetime_to } : {}) }
      : { count: time_value as number, unit: time_interval as TimeUnit },
    ...(value === 'performed_event_multiple' && {
      times: { is: COUNTS[operator ?? 'gte'], count: operator_value as number },
    }),
  }
}
