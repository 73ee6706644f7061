/** What a property filter means, in the plainest way: for the differential tests. */
import type { Json, JsonObject } from '../../../src/lib/json.ts'

export interface ReferenceFilter {
  readonly key: string
  readonly operator: string
  readonly value?: Json
  readonly type?: 'event' | 'person'
}
export interface ReferenceGroup {
  readonly type: 'AND' | 'OR'
  readonly values: readonly (ReferenceFilter | ReferenceGroup)[]
}

/** The text form of a property; undefined when it is missing. */
export function textOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d+(\.\d+)?$/.test(text)) return undefined
  return Number(text)
}

export function groupHolds(group: ReferenceGroup, event: JsonObject, person: JsonObject): boolean {
  const holds = (each: ReferenceFilter | ReferenceGroup): boolean =>
    'values' in each ? groupHolds(each, event, person) : filterHolds(each, each.type === 'person' ? person : event)
  if (group.values.length === 0) return true
  return group.type === 'AND' ? group.values.every(holds) : group.values.some(holds)
}

function filterHolds(filter: ReferenceFilter, properties: JsonObject): boolean {
  const text = textOf(properties[filter.key])
  const wanted = (Array.isArray(filter.value) ? filter.value : [filter.value ?? null]).map((each) => textOf(each) ?? '')
  const number = numberOf(text)
  const some = (test: (wanted: string) => boolean): boolean => text !== undefined && wanted.some(test)
  const compared = (test: (a: number, b: number) => boolean): boolean =>
    number !== undefined && wanted.some((each) => test(number, Number(each)))
  switch (filter.operator) {
    case 'exact':
      return some((each) => each === text)
    case 'is_not':
      return !some((each) => each === text)
    case 'icontains':
      return some((each) => text?.toLowerCase().includes(each.toLowerCase()) ?? false)
    case 'not_icontains':
      return !some((each) => text?.toLowerCase().includes(each.toLowerCase()) ?? false)
    case 'regex':
      return some((each) => new RegExp(each).test(text ?? ''))
    case 'not_regex':
      return !some((each) => new RegExp(each).test(text ?? ''))
    case 'gt':
      return compared((a, b) => a > b)
    case 'gte':
      return compared((a, b) => a >= b)
    case 'lt':
      return compared((a, b) => a < b)
    case 'lte':
      return compared((a, b) => a <= b)
    case 'is_set':
      return text !== undefined
    case 'is_not_set':
      return text === undefined
    default:
      throw new Error(`the reference does not know ${filter.operator}`)
  }
}
