/**
 * The rules of flags once more, slow and literal: straight from the stored documents, without anything compiled or
 * shared with the code under test. Only what the random flags of the tests use.
 */
import { createHash } from 'node:crypto'

type Value = unknown
type Fields = Record<string, Value>

export interface ModelFlag {
  readonly id: number
  readonly key: string
  readonly active: boolean
  readonly filters: Fields
  readonly ensure_experience_continuity: boolean
  readonly bucketing_identifier: string | null
}

export interface ModelWorld {
  readonly flags: readonly ModelFlag[]
  readonly cohorts: readonly { readonly id: number; readonly is_static: boolean; readonly filters: Fields }[]
  readonly groupTypes: Readonly<Record<string, string>>
}

export interface ModelPerson {
  readonly distinctId: string
  readonly anonId?: string | undefined
  readonly deviceId?: string | undefined
  readonly sent: Fields
  readonly stored: Fields
  readonly groups: Readonly<Record<string, string>>
  readonly groupProperties: Readonly<Record<string, Fields>>
  readonly hashKeys: Readonly<Record<string, string>>
  readonly staticCohorts: readonly number[]
  readonly now: number
}

export interface ModelAnswer {
  readonly value: boolean | string
  readonly code: string
}

const share = (text: string): number =>
  Number(BigInt(`0x${createHash('sha1').update(text).digest('hex').slice(0, 15)}`)) / Number(0xfffffffffffffffn)

export function modelAnswer(
  world: ModelWorld,
  flag: ModelFlag,
  person: ModelPerson,
  seen: readonly number[] = [],
): ModelAnswer {
  const all = { ...person.stored, ...person.sent }
  const { filters } = flag
  if (!flag.active) return { value: false, code: 'flag_disabled' }
  if (!canBeDecided(world, flag, seen)) return { value: false, code: 'missing_dependency' }
  if (filters.feature_enrollment === true && `$feature_enrollment/${flag.key}` in all) {
    const said = all[`$feature_enrollment/${flag.key}`]
    return { value: said === true || said === 'true', code: 'super_condition_value' }
  }
  const holdout = filters.holdout as { id: number; exclusion_percentage: number } | undefined
  const group = person.groups[world.groupTypes[String(filters.aggregation_group_type_index)] ?? '']
  const personId = flag.bucketing_identifier === 'device_id' ? person.deviceId : person.distinctId
  const ownId = filters.aggregation_group_type_index === undefined ? personId : group
  if (holdout && ownId)
    if (holdout.exclusion_percentage > 0 && share(`holdout-${ownId}`) <= holdout.exclusion_percentage / 100)
      return { value: `holdout-${holdout.id}`, code: 'holdout_condition_value' }

  const reasons: string[] = []
  for (const condition of (filters.groups ?? []) as Fields[]) {
    const index =
      'aggregation_group_type_index' in condition
        ? condition.aggregation_group_type_index
        : filters.aggregation_group_type_index
    let id: string
    if (typeof index === 'number') {
      const group = person.groups[world.groupTypes[String(index)] ?? '']
      if (!group) {
        reasons.push('no_group_type')
        continue
      }
      id = group
    } else if (flag.bucketing_identifier === 'device_id') {
      if (person.deviceId === undefined) {
        reasons.push('out_of_rollout_bound')
        if (filters.early_exit) break
        continue
      }
      id = person.deviceId
    } else if (flag.ensure_experience_continuity) id = person.hashKeys[flag.key] ?? person.anonId ?? person.distinctId
    else id = person.distinctId
    const given = (condition.properties ?? []) as Fields[]
    if (!given.every((filter) => holds(world, filter, index, person, [...seen, flag.id]))) {
      reasons.push('no_condition_match')
      continue
    }
    if (share(`${flag.key}.${id}`) > Number(condition.rollout_percentage ?? 100) / 100) {
      reasons.push('out_of_rollout_bound')
      if (filters.early_exit) break
      continue
    }
    return { value: variantOf(flag, condition, id), code: 'condition_match' }
  }
  const order = ['out_of_rollout_bound', 'no_condition_match', 'no_group_type']
  if (filters.early_exit && reasons.at(-1) === 'out_of_rollout_bound')
    return { value: false, code: 'out_of_rollout_bound' }
  return { value: false, code: order.find((code) => reasons.includes(code)) ?? 'no_condition_match' }
}

function variantOf(flag: ModelFlag, condition: Fields, id: string): boolean | string {
  const variants = ((flag.filters.multivariate as Fields | undefined)?.variants ?? []) as {
    key: string
    rollout_percentage: number
  }[]
  if (variants.some(({ key }) => key === condition.variant)) return condition.variant as string
  const at = share(`${flag.key}.${id}variant`)
  let sum = 0
  for (const { key, rollout_percentage } of variants) {
    sum += rollout_percentage / 100
    if (at < sum) return key
  }
  return true
}

function canBeDecided(world: ModelWorld, flag: ModelFlag, path: readonly number[]): boolean {
  if (path.includes(flag.id)) return false
  const asked = ((flag.filters.groups ?? []) as Fields[]).flatMap(({ properties }) => (properties ?? []) as Fields[])
  return asked
    .filter(({ type }) => type === 'flag')
    .every(({ key }) => {
      const other = world.flags.find(({ id }) => String(id) === key)
      return other !== undefined && canBeDecided(world, other, [...path, flag.id])
    })
}

function holds(
  world: ModelWorld,
  filter: Fields,
  index: unknown,
  person: ModelPerson,
  path: readonly number[],
): boolean {
  if (filter.type === 'flag') {
    const other = world.flags.find(({ id }) => String(id) === filter.key) as ModelFlag
    const { value } = modelAnswer(world, other, person, path)
    return filter.value === true ? value !== false : value === filter.value
  }
  if (filter.type === 'cohort') return isIn(world, Number(filter.value), person) !== (filter.operator === 'not_in')
  if (filter.type === 'group') {
    const name = world.groupTypes[String(filter.group_type_index ?? index)] ?? ''
    const properties = { ...person.groupProperties[name] }
    return satisfies(filter, properties, person.now)
  }
  return satisfies(filter, { distinct_id: person.distinctId, ...person.stored, ...person.sent }, person.now)
}

function isIn(world: ModelWorld, id: number, person: ModelPerson): boolean {
  const cohort = world.cohorts.find((each) => each.id === id)
  if (!cohort) throw new Error(`no cohort ${id}`)
  if (cohort.is_static) return person.staticCohorts.includes(id)
  const fits = (node: Fields): boolean => {
    const values = node.values as Fields[] | undefined
    if (values) return node.type === 'AND' ? values.every(fits) : values.some(fits)
    const met =
      node.type === 'cohort'
        ? isIn(world, Number(node.value), person)
        : satisfies(node, { distinct_id: person.distinctId, ...person.stored, ...person.sent }, person.now)
    return node.negation === true ? !met : met
  }
  return fits(cohort.filters.properties as Fields)
}

const POSITIVE: Record<string, string> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_icontains_multi: 'icontains_multi',
  not_starts_with: 'starts_with',
  not_ends_with: 'ends_with',
  not_between: 'between',
}

export function satisfies(filter: Fields, properties: Fields, now: number): boolean {
  const operator = String(filter.operator ?? 'exact')
  const key = String(filter.key)
  const present = key in properties
  const actual = properties[key]
  if (operator === 'is_set') return present
  if (operator === 'is_not_set') return !present
  if (operator in POSITIVE) return !present || !satisfies({ ...filter, operator: POSITIVE[operator] }, properties, now)
  if (operator === 'not_regex') return !present || !new RegExp(String(filter.value)).test(words(actual))
  return present && compare(operator, actual, filter.value, now)
}

const words = (value: Value): string => (typeof value === 'string' ? value : JSON.stringify(value))
const isTruth = (value: Value): boolean =>
  Array.isArray(value)
    ? value.every(isTruth)
    : ['true', 'false'].includes(String(value).toLowerCase()) && typeof value !== 'number'
const truth = (value: Value): boolean =>
  Array.isArray(value) ? value.every(truth) : words(value).toLowerCase() === 'true'
const number = (value: Value): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
      ? Number(value)
      : Number.NaN

function compare(operator: string, actual: Value, wanted: Value, now: number): boolean {
  const lower = words(actual).toLowerCase()
  const list = (Array.isArray(wanted) ? wanted : [wanted]).map((each) => words(each).toLowerCase())
  switch (operator) {
    case 'exact':
      return isTruth(wanted) ? truth(actual) === truth(wanted) : list.includes(lower)
    case 'icontains':
    case 'icontains_multi':
      return list.some((part) => lower.includes(part))
    case 'starts_with':
      return list.some((part) => lower.startsWith(part))
    case 'ends_with':
      return list.some((part) => lower.endsWith(part))
    case 'regex':
      return new RegExp(String(wanted)).test(words(actual))
    case 'gt':
      return number(actual) > number(wanted)
    case 'gte':
      return number(actual) >= number(wanted)
    case 'lt':
      return number(actual) < number(wanted)
    case 'lte':
      return number(actual) <= number(wanted)
    case 'between': {
      const [low, high] = wanted as Value[]
      return number(actual) >= number(low) && number(actual) <= number(high)
    }
    case 'is_date_before':
      return Date.parse(String(actual)) < moment(String(wanted), now)
    case 'is_date_after':
      return Date.parse(String(actual)) > moment(String(wanted), now)
  }
  return versions(operator, String(actual), String(wanted))
}

const moment = (text: string, now: number): number =>
  /^-\d+d$/.test(text) ? now - Number(text.slice(1, -1)) * 86_400_000 : Date.parse(text)

/** Versions of three small numbers, as one number. */
function versions(operator: string, actual: string, wanted: string): boolean {
  const place = (text: string): number => {
    const parts = text.replace(/^v/, '').split('.')
    if (parts.length > 3 || !parts.every((part) => /^\d+$/.test(part))) return Number.NaN
    return Number(parts[0]) * 1e6 + Number(parts[1] ?? 0) * 1e3 + Number(parts[2] ?? 0)
  }
  const [a, b] = [place(actual), place(wanted.replace(/\.\*$/, ''))]
  if (Number.isNaN(a) || Number.isNaN(b)) return false
  const [major, minor] = [Math.floor(b / 1e6), Math.floor(b / 1e3) % 1e3]
  switch (operator) {
    case 'semver_eq':
      return a === b
    case 'semver_neq':
      return a !== b
    case 'semver_gt':
      return a > b
    case 'semver_lt':
      return a < b
    case 'semver_tilde':
      return a >= b && a < major * 1e6 + (minor + 1) * 1e3
    case 'semver_caret':
      return a >= b && a < (major > 0 ? (major + 1) * 1e6 : minor > 0 ? (minor + 1) * 1e3 : b + 1)
    case 'semver_wildcard':
      return a >= b && a < (wanted.split('.').length === 2 ? (major + 1) * 1e6 : major * 1e6 + (minor + 1) * 1e3)
  }
  throw new Error(`the model knows no ${operator}`)
}
