/** One filter of a condition, as it is looked at when a flag is saved: whatever could never match is refused in words. */
import { InvalidInput, type Path } from '../../lib/invalid-input.ts'
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'

const TEXTS = [
  'icontains',
  'not_icontains',
  'starts_with',
  'not_starts_with',
  'ends_with',
  'not_ends_with',
  'regex',
  'not_regex',
]
const LISTS = ['icontains_multi', 'not_icontains_multi']
const NUMBERS = ['gt', 'gte', 'lt', 'lte']
const RANGES = ['between', 'not_between']
const DATES = ['is_date_exact', 'is_date_before', 'is_date_after']
const VERSIONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'tilde', 'caret', 'wildcard'].map((name) => `semver_${name}`)
const OF_PROPERTIES = [
  'exact',
  'is_not',
  ...TEXTS,
  ...LISTS,
  ...NUMBERS,
  ...RANGES,
  'is_set',
  'is_not_set',
  ...DATES,
  ...VERSIONS,
]

/** The longest list of values in one filter, and the longest text in it. */
const MOST_VALUES = 1_000
const LONGEST_TEXT = 10_000

/** What is needed to know whether a value can be read; the rules of matching say it. */
export interface Readable {
  /** What is wrong with a pattern; null: nothing. */
  pattern(text: string): string | null
  date(text: string): boolean
  /** A version, or for `semver_wildcard` one with stars in it. */
  version(text: string, operator: string): boolean
}

/** Of whom a condition is about: persons, or the groups of one type. */
export type Aggregation = number | null

export interface FilterPlace {
  readonly path: Path
  readonly aggregation: Aggregation
}

export function checkFilter(filter: Json, { path, aggregation }: FilterPlace, readable: Readable): JsonObject {
  if (!isObject(filter))
    throw new InvalidInput('A filter is an object such as {"key": "plan", "type": "person", "value": ["pro"]}.', path)
  const { key, type = 'person' } = filter
  if (typeof key !== 'string' && typeof key !== 'number')
    throw new InvalidInput('Say which property the filter is about: "key" is a text.', [...path, 'key'])
  if (String(key) === '') throw new InvalidInput('The key of a filter may not be empty.', [...path, 'key'])
  switch (type) {
    case 'person':
    case 'group':
      checkSubject(filter, type, { path, aggregation })
      checkValue(filter, path, readable)
      return filter
    case 'cohort':
      checkCohort(filter, path)
      return filter
    case 'flag':
      checkDependency(filter, path)
      return filter
  }
  throw new InvalidInput(`Filters of flags are of type person, group, cohort or flag, not ${shown(type)}.`, [
    ...path,
    'type',
  ])
}

function checkSubject(filter: JsonObject, type: 'person' | 'group', { path, aggregation }: FilterPlace): void {
  if (aggregation === null) {
    if (type === 'person') return
    throw new InvalidInput(
      'This condition is about persons: filter by person, cohort or flag, or set aggregation_group_type_index.',
      [...path, 'type'],
    )
  }
  if (type === 'person')
    throw new InvalidInput(
      `This condition is about groups of type ${aggregation}: filter by properties of type "group".`,
      [...path, 'type'],
    )
  if (filter.group_type_index !== aggregation)
    throw new InvalidInput(
      `This condition is about groups of type ${aggregation}, so the filter's group_type_index must be ${aggregation}.`,
      [...path, 'group_type_index'],
    )
}

function checkValue(filter: JsonObject, path: Path, readable: Readable): void {
  const operator = filter.operator ?? 'exact'
  if (typeof operator !== 'string' || !OF_PROPERTIES.includes(operator))
    throw new InvalidInput(`The operator ${shown(operator)} is not known. Send one of ${OF_PROPERTIES.join(', ')}.`, [
      ...path,
      'operator',
    ])
  if (operator === 'is_set' || operator === 'is_not_set') return
  const { value } = filter
  const wrong = wrongValue(operator, value, readable)
  if (wrong !== null) throw new InvalidInput(`${shown(filter.key)} ${operator}: ${wrong}`, [...path, 'value'])
}

function wrongValue(operator: string, value: Json | undefined, readable: Readable): string | null {
  if (value === undefined || value === null) return 'the filter has no value to compare with.'
  if (operator === 'exact' || operator === 'is_not') return wrongList(Array.isArray(value) ? value : [value])
  if (LISTS.includes(operator))
    return Array.isArray(value) ? wrongTexts(value) : `send a list of texts, not ${shown(value)}.`
  if (RANGES.includes(operator)) return wrongRange(value)
  if (NUMBERS.includes(operator))
    return numberIn(value) === null ? `numbers are compared, and ${shown(value)} is none.` : null
  if (DATES.includes(operator)) {
    const isDate = typeof value === 'number' || (typeof value === 'string' && readable.date(value))
    return isDate ? null : `${shown(value)} is not a date: send 2024-05-31, 2024-05-31T12:00:00Z or -7d.`
  }
  if (typeof value !== 'string') return `send a text, not ${shown(value)}.`
  if (value.length > LONGEST_TEXT) return `the text is longer than ${LONGEST_TEXT} characters.`
  if (VERSIONS.includes(operator))
    return readable.version(value, operator) ? null : `${shown(value)} is not a version such as "1.2.3".`
  if (operator !== 'regex' && operator !== 'not_regex') return null
  const broken = readable.pattern(value)
  return broken === null ? null : `${shown(value)} is not a regular expression: ${broken}.`
}

function wrongList(values: readonly Json[]): string | null {
  if (values.length === 0) return 'the list of values is empty.'
  if (values.length > MOST_VALUES) return `more than ${MOST_VALUES} values: use a cohort for so many.`
  const strange = values.find((each) => typeof each === 'object' && each !== null)
  return strange === undefined ? null : `send texts, numbers or booleans, not ${shown(strange)}.`
}

function wrongTexts(values: readonly Json[]): string | null {
  const strange = values.find((each) => typeof each !== 'string')
  return strange === undefined ? wrongList(values) : `send a list of texts; ${shown(strange)} is none.`
}

function wrongRange(value: Json): string | null {
  const bounds = Array.isArray(value) && value.length === 2 ? value.map(numberIn) : []
  const [low, high] = bounds
  if (typeof low !== 'number' || typeof high !== 'number') return `send two numbers, [low, high], not ${shown(value)}.`
  return low <= high ? null : `${low} is greater than ${high}: send the lower number first.`
}

/** A number, or a text that holds nothing but one. */
function numberIn(value: Json): number | null {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

function checkCohort({ operator = 'in', value }: JsonObject, path: Path): void {
  if (operator !== null && operator !== 'in' && operator !== 'not_in' && operator !== 'exact')
    throw new InvalidInput(`Cohorts are compared with in or not_in, not ${shown(operator)}.`, [...path, 'operator'])
  if (cohortIn(value) === null)
    throw new InvalidInput(`The value of a cohort filter is the id of a cohort, not ${shown(value)}.`, [
      ...path,
      'value',
    ])
}

export const cohortIn = (value: Json | undefined): number | null => idIn(value)

function checkDependency({ key, operator, value }: JsonObject, path: Path): void {
  if (operator !== 'flag_evaluates_to')
    throw new InvalidInput(`Flags are compared with flag_evaluates_to, not ${shown(operator)}.`, [...path, 'operator'])
  if (idIn(key) === null)
    throw new InvalidInput(`The key of a flag filter is the id of a flag, not ${shown(key)}.`, [...path, 'key'])
  if (typeof value !== 'boolean' && (typeof value !== 'string' || value === ''))
    throw new InvalidInput(`A flag evaluates to true, false or the key of a variant, not to ${shown(value)}.`, [
      ...path,
      'value',
    ])
}

/** The id of a row, as a number or its digits. */
export function idIn(value: Json | undefined): number | null {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

/** What was sent, short enough for a message. */
export function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
