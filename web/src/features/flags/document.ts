/** The `filters` of a flag as the pages hold them, and as the API keeps them. */
import type { FeatureFlag } from '../../api/contract.ts'
import { type Filter, isComplete, readFilters } from '../insights/index.ts'

/** Another flag that must have a value. */
export interface Dependency {
  id: string
  value: boolean | string
}

export interface Condition {
  filters: Filter[]
  flags: Dependency[]
  rollout: number
  variant: string | null
}

export interface Variant {
  key: string
  name: string
  share: number
}

/** What the editor changes; everything else in the document stays as it is. */
export interface Rules {
  conditions: Condition[]
  variants: Variant[]
  /** JSON as text, by variant, or "true". */
  payloads: Record<string, string>
  /** Whom it is about: persons, or groups of this type. */
  groupType: number | null
}

type Fields = Record<string, unknown>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

export const EVERYBODY: Condition = { filters: [], flags: [], rollout: 100, variant: null }

export function rulesOf(filters: FeatureFlag['filters']): Rules {
  const document = fieldsOf(filters)
  return {
    conditions: listOf(document.groups).map((condition) => ({
      filters: readFilters(
        listOf(condition.properties)
          .filter(({ type }) => type !== 'flag')
          .map(withType),
      ),
      flags: listOf(condition.properties).flatMap(({ type, key, value }) =>
        type === 'flag' && (typeof value === 'boolean' || typeof value === 'string')
          ? [{ id: String(key), value }]
          : [],
      ),
      rollout: typeof condition.rollout_percentage === 'number' ? condition.rollout_percentage : 100,
      variant: typeof condition.variant === 'string' ? condition.variant : null,
    })),
    variants: listOf(fieldsOf(document.multivariate).variants).map(({ key, name, rollout_percentage }) => ({
      key: String(key),
      name: typeof name === 'string' ? name : '',
      share: Number(rollout_percentage) || 0,
    })),
    payloads: Object.fromEntries(
      Object.entries(fieldsOf(document.payloads)).flatMap(([key, payload]) =>
        payload === null ? [] : [[key, typeof payload === 'string' ? payload : JSON.stringify(payload)]],
      ),
    ),
    groupType: typeof document.aggregation_group_type_index === 'number' ? document.aggregation_group_type_index : null,
  }
}

/** Filters of flags are about persons unless they say otherwise. */
const withType = (filter: Fields): Fields => ({ ...filter, type: filter.type ?? 'person' })

/** Whether the editor shows everything that is in the conditions. */
export function isEditable(filters: FeatureFlag['filters']): boolean {
  const given = listOf(fieldsOf(filters).groups)
  return rulesOf(filters).conditions.every((read, at) => {
    const condition = given[at] ?? {}
    const own = condition.aggregation_group_type_index
    const count = listOf(condition.properties).length
    return read.filters.length + read.flags.length === count && (own === undefined || own === null)
  })
}

export const conditionDocument = ({ filters, flags, rollout, variant }: Condition) => ({
  properties: [
    ...filters.filter(isComplete),
    ...flags.map(({ id, value }) => ({ key: id, type: 'flag', operator: 'flag_evaluates_to', value })),
  ],
  rollout_percentage: rollout,
  variant,
})

export function documentOf({ conditions, variants, payloads, groupType }: Rules): Record<string, unknown> {
  const keys = variants.length > 0 ? variants.map(({ key }) => key) : ['true']
  const kept = Object.entries(payloads).filter(([key, text]) => keys.includes(key) && text.trim() !== '')
  return {
    groups: conditions.map((condition) => ({
      ...conditionDocument(condition),
      variant: variants.some(({ key }) => key === condition.variant) ? condition.variant : null,
    })),
    multivariate:
      variants.length === 0
        ? null
        : {
            variants: variants.map(({ key, name, share }) => ({
              key,
              ...(name ? { name } : {}),
              rollout_percentage: share,
            })),
          },
    payloads: Object.fromEntries(kept),
    aggregation_group_type_index: groupType,
  }
}

/** The same share for each, in percent; what does not divide goes to the first. */
export function evenShares(variants: readonly Variant[]): Variant[] {
  const share = Math.floor(100 / variants.length)
  return variants.map((variant, at) => ({ ...variant, share: at === 0 ? 100 - share * (variants.length - 1) : share }))
}

/** What is wrong with a payload; null when it is JSON, or empty. */
export function wrongPayload(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch {
    return 'This is not JSON. A text needs quotation marks: "blue".'
  }
}
