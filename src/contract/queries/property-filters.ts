/**
 * Property filters in all the forms clients send them (a list, groups of groups, the old map) become one form: nested
 * groups of complete items. An item that says nothing (no key, or an operator that wants a value and has none) is
 * refused, because leaving it out would answer about everybody; only `{"type": "empty"}` says by itself that it is
 * none. A group of nothing is left out.
 */
import { z } from 'zod'
import { plainText } from '../../lib/json.ts'
import { isDate, notADate } from '../../lib/parse-date.ts'
import { parsedBy } from '../parsed-by.ts'
import { describedBy } from './fields.ts'
import { decoded, type Fields, isFields } from './wire-values.ts'

const SEMVER_OPERATORS = [
  'semver_eq',
  'semver_neq',
  'semver_gt',
  'semver_gte',
  'semver_lt',
  'semver_lte',
  'semver_tilde',
  'semver_caret',
  'semver_wildcard',
] as const
export type SemverOperator = (typeof SEMVER_OPERATORS)[number]

/** Operators that mean the same in filters of queries and of feature flags. */
export const SHARED_OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'icontains_multi',
  'not_icontains_multi',
  'starts_with',
  'not_starts_with',
  'ends_with',
  'not_ends_with',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'not_between',
  'is_set',
  'is_not_set',
  'is_date_exact',
  'is_date_before',
  'is_date_after',
  'in',
  'not_in',
  ...SEMVER_OPERATORS,
] as const

const OPERATORS = [...SHARED_OPERATORS, 'min', 'max', 'is_cleaned_path_exact'] as const
export type Operator = (typeof OPERATORS)[number]

const PROPERTY_TYPES = [
  'event',
  'person',
  'person_metadata',
  'group',
  'cohort',
  'element',
  'session',
  'hogql',
  'feature',
  'event_metadata',
] as const
type PropertyType = (typeof PROPERTY_TYPES)[number]

export interface PropertyFilter {
  readonly kind: 'property'
  readonly type: PropertyType
  readonly key: string
  readonly operator: Operator
  /** Always a list; empty for the operators that take no value. */
  readonly values: readonly string[]
  readonly group_type_index?: number
}

export interface PropertyGroup {
  readonly kind: 'group'
  readonly type: 'AND' | 'OR'
  readonly values: readonly (PropertyFilter | PropertyGroup)[]
}

export const NO_FILTERS: PropertyGroup = { kind: 'group', type: 'AND', values: [] }

export const allOf = (...values: readonly (PropertyFilter | PropertyGroup)[]): PropertyGroup => ({
  kind: 'group',
  type: 'AND',
  values: values.filter((value) => value.kind === 'property' || value.values.length > 0),
})

const scalar = z.union([z.string(), z.number(), z.boolean()])
const item = z.object({
  key: z.union([z.string(), z.number().transform(String)]),
  type: z
    .union([z.enum(PROPERTY_TYPES), z.enum(['events', 'static-cohort', 'precalculated-cohort'])])
    .nullish()
    .transform((type): PropertyType => {
      if (type === 'events') return 'event'
      if (type === 'static-cohort' || type === 'precalculated-cohort') return 'cohort'
      return type ?? 'event'
    }),
  operator: z.enum(OPERATORS).nullish(),
  value: z.union([scalar, z.array(z.union([scalar, z.null()]))]).nullish(),
  group_type_index: z.coerce.number().int().min(0).max(4).nullish(),
})

const VALUELESS: ReadonlySet<Operator> = new Set(['is_set', 'is_not_set'])
const OF_DATES: ReadonlySet<Operator> = new Set(['is_date_exact', 'is_date_before', 'is_date_after'])
const EXAMPLE = '{"key": "$browser", "value": "Safari", "operator": "exact"}'

type Refuse = (message: string, path: (string | number)[]) => void

/**
 * Where each filter stood in the `properties` that were sent: for messages, so two filters that say the same stay
 * equal.
 */
const places = new WeakMap<PropertyFilter, readonly (string | number)[]>()
export const placeOf = (filter: PropertyFilter): readonly (string | number)[] | undefined => places.get(filter)
/** The same of all filters of a group whose properties stood at `base`. */
export function rememberPlaces(group: PropertyGroup, base: readonly (string | number)[]): void {
  for (const each of group.values)
    if (each.kind === 'group') rememberPlaces(each, base)
    else rememberPlace(each, [...base, ...(placeOf(each) ?? [])])
}
export function rememberPlace(filter: PropertyFilter, path: readonly (string | number)[]): PropertyFilter {
  places.set(filter, path)
  return filter
}

const filterForm = z.looseObject({
  key: z.union([z.string(), z.number()]),
  type: z.enum([...PROPERTY_TYPES, 'events', 'static-cohort', 'precalculated-cohort']).nullish(),
  operator: z.enum(OPERATORS).nullish(),
  value: z.union([scalar, z.array(z.union([scalar, z.null()])), z.null()]).optional(),
  group_type_index: z.int().min(0).max(4).nullish(),
})
const groupForm = z.looseObject({
  type: z.enum(['AND', 'OR']),
  values: z
    .array(z.looseObject({ type: z.string().nullish() }))
    .meta({ description: 'Filters, and groups like this one.' }),
})
/** The forms that clients send, for descriptions. */
export const propertyFilterForms = { filter: filterForm, group: groupForm }
export type PropertyFilterInput = z.input<typeof filterForm>

export const propertiesSchema = z
  .unknown()
  .transform((value, context): PropertyGroup => {
    const refuse: Refuse = (message, path) => context.addIssue({ code: 'custom', message, path })
    return readProperties(value, refuse)
  })
  .default(NO_FILTERS)
  .meta({
    ...describedBy(
      z.union([z.array(z.union([filterForm, groupForm])), groupForm, z.record(z.string(), z.unknown()), z.null()]),
    ),
    id: 'PropertyFilters',
    description: 'A list of filters, groups of them, or the old form {"$browser": "Safari", "plan__icontains": "pro"}.',
  })

export function readProperties(value: unknown, refuse: Refuse): PropertyGroup {
  const read = readNode(decoded(value), [], refuse)
  if (read === undefined) return NO_FILTERS
  return read.kind === 'group' ? read : allOf(read)
}

function readNode(
  value: unknown,
  path: (string | number)[],
  refuse: Refuse,
): PropertyFilter | PropertyGroup | undefined {
  // No filters at all are fine; nothing in the place of a filter is not.
  if (path.length === 0 && (value === undefined || value === null || value === '')) return undefined
  if (Array.isArray(value)) return readGroup('AND', value, path, refuse)
  if (!isFields(value)) {
    refuse(`A property filter is an object such as ${EXAMPLE}, not ${shown(value)}.`, path)
    return undefined
  }
  if (isGroup(value)) return readGroup(value.type, value.values, [...path, 'values'], refuse)
  if ('key' in value || value.type === 'empty') return readItem(value, path, refuse)
  if ('values' in value || value.type === 'AND' || value.type === 'OR') {
    refuse(`A group of filters is {"type": "AND" or "OR", "values": [...]}, not ${shown(value)}.`, path)
    return undefined
  }
  // The old map stands alone.
  if (path.length === 0) return readMap(value, path, refuse)
  refuse(`The filter ${shown(value)} has no key: send an object such as ${EXAMPLE}.`, path)
  return undefined
}

/** What was sent, short enough for a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}...` : text
}

const isGroup = (value: Fields): value is { type: 'AND' | 'OR'; values: unknown[] } =>
  (value.type === 'AND' || value.type === 'OR') && Array.isArray(value.values)

function readGroup(type: 'AND' | 'OR', items: unknown[], path: (string | number)[], refuse: Refuse): PropertyGroup {
  const values = items
    .map((each, index) => readNode(decoded(each), [...path, index], refuse))
    .filter((each) => each !== undefined)
    .filter((each) => each.kind === 'property' || each.values.length > 0)
  return { kind: 'group', type, values }
}

/** The old form {"$browser": "Safari", "plan__icontains": "pro"}. */
function readMap(map: Fields, path: (string | number)[], refuse: Refuse): PropertyGroup {
  const items = Object.entries(map)
    .filter(([key]) => key !== 'type' && key !== 'operator')
    .map(([name, value]) => {
      const at = name.lastIndexOf('__')
      const operator = name.slice(at + 2)
      const known = at > 0 && (OPERATORS as readonly string[]).includes(operator)
      return known ? { key: name.slice(0, at), value, operator } : { key: name, value }
    })
  if (items.length === 0 && Object.keys(map).length > 0)
    refuse(`The filter ${shown(map)} has no key: send an object such as ${EXAMPLE}.`, path)
  return readGroup('AND', items, path, refuse)
}

function readItem(fields: Fields, path: (string | number)[], refuse: Refuse): PropertyFilter | undefined {
  if (fields.type === 'empty') return undefined
  if (fields.key === undefined || fields.key === null) {
    refuse(`The filter ${shown(fields)} has no key: say which property it is about.`, [...path, 'key'])
    return undefined
  }
  const parsed = parsedBy(item, fields)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) refuse(issue.message, [...path, ...issue.path.map(String)])
    return undefined
  }
  const { key, type, value, group_type_index } = parsed.data
  const operator = parsed.data.operator ?? (type === 'cohort' ? 'in' : 'exact')
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value]
  // Numbers that are too long for a double are compared by the digits that were sent.
  const values = list.filter((each) => each !== null).map((each) => plainText(String(each)))
  if (type === 'hogql' && key.trim() === '') {
    refuse('A filter of type hogql needs an expression as its key.', [...path, 'key'])
    return undefined
  }
  if (type !== 'hogql' && values.length === 0 && !VALUELESS.has(operator)) {
    refuse(`The filter on "${key}" (${operator}) has no value: send one, or the operator is_set or is_not_set.`, [
      ...path,
      'value',
    ])
    return undefined
  }
  const noDate = OF_DATES.has(operator) ? values.find((each) => !isDate(each)) : undefined
  if (noDate !== undefined) {
    refuse(notADate(noDate), [...path, 'value'])
    return undefined
  }
  if (type === 'group' && (group_type_index === undefined || group_type_index === null)) {
    refuse('A filter on a group property says which group type it means: add group_type_index.', [
      ...path,
      'group_type_index',
    ])
    return undefined
  }
  const filter: PropertyFilter = {
    kind: 'property',
    type,
    key,
    operator,
    values: VALUELESS.has(operator) ? [] : values,
    ...(group_type_index === undefined || group_type_index === null ? {} : { group_type_index }),
  }
  return rememberPlace(filter, path)
}
