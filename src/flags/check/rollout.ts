/** How far a flag is rolled out, said in the terms of its conditions; and whether anybody still needs it. */
import { isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { variantKeys } from './named.ts'

export interface Rollout {
  /** Everybody gets one and the same value. */
  readonly effectively_full_rollout: boolean
  readonly has_targeting_conditions: boolean
  /** Of any condition. */
  readonly max_rollout_percentage: number | null
  readonly is_multivariate: boolean
}

export function rolloutOf(filters: Json): Rollout {
  const conditions = conditionsOf(filters)
  const percentages = conditions.map(percentageOf)
  const variants = variantKeys(filters)
  return {
    effectively_full_rollout: conditions.some(isForAll) && (variants.length === 0 || servesOneVariant(filters)),
    has_targeting_conditions: conditions.some((condition) => propertiesOf(condition).length > 0),
    max_rollout_percentage: percentages.length === 0 ? null : Math.max(...percentages),
    is_multivariate: variants.length > 0,
  }
}

export const conditionsOf = (filters: Json): JsonObject[] =>
  isObject(filters) && Array.isArray(filters.groups) ? filters.groups.filter(isObject) : []

const propertiesOf = ({ properties }: JsonObject): Json[] => (Array.isArray(properties) ? properties : [])
const percentageOf = ({ rollout_percentage }: JsonObject): number =>
  typeof rollout_percentage === 'number' ? rollout_percentage : 100
const isForAll = (condition: JsonObject) => propertiesOf(condition).length === 0 && percentageOf(condition) === 100

/** One variant has all of the percentage, or the condition for everybody names one. */
function servesOneVariant(filters: Json): boolean {
  const whole = conditionsOf(filters).find(isForAll)
  if (typeof whole?.variant === 'string') return true
  const variants = isObject(filters) && isObject(filters.multivariate) ? filters.multivariate.variants : null
  return Array.isArray(variants) && variants.some((each) => isObject(each) && each.rollout_percentage === 100)
}

/** A flag of one condition without filters and without variants has one percentage. */
export function simpleRollout(filters: Json): { readonly is_simple_flag: boolean; readonly percentage: number | null } {
  const [only, ...others] = conditionsOf(filters)
  const isSimple =
    only !== undefined &&
    others.length === 0 &&
    propertiesOf(only).length === 0 &&
    variantKeys(filters).length === 0 &&
    (only.aggregation_group_type_index ?? null) === null &&
    (isObject(filters) ? (filters.aggregation_group_type_index ?? null) : null) === null
  return {
    is_simple_flag: isSimple,
    percentage: isSimple && typeof only.rollout_percentage === 'number' ? only.rollout_percentage : null,
  }
}

export type FlagStatus = 'ACTIVE' | 'STALE' | 'INACTIVE' | 'DELETED'

interface Lived {
  readonly active: boolean
  readonly deleted: boolean
  readonly archived: boolean
  readonly filters: Json
  readonly created_at: Date
  readonly last_called_at: Date | null
}

export const STALE_AFTER_DAYS = 30
const DAY_MS = 86_400_000

/** A flag is stale when nobody has asked for it for a month, or when it was never asked for and is the same for all. */
export function statusOf(flag: Lived, now: Date): { readonly status: FlagStatus; readonly reason: string } {
  if (flag.deleted) return { status: 'DELETED', reason: 'The flag has been deleted.' }
  if (flag.archived) return { status: 'INACTIVE', reason: 'The flag has been archived.' }
  const { effectively_full_rollout: full } = rolloutOf(flag.filters)
  const quietSince = flag.last_called_at ?? flag.created_at
  const days = Math.floor((now.getTime() - quietSince.getTime()) / DAY_MS)
  if (flag.last_called_at !== null && days >= STALE_AFTER_DAYS)
    return { status: 'STALE', reason: `Nobody has asked for the flag for ${days} days.` }
  if (flag.last_called_at === null && full && days >= STALE_AFTER_DAYS)
    return {
      status: 'STALE',
      reason: `The flag is rolled out to everybody and has not been asked for in ${days} days.`,
    }
  if (!flag.active) return { status: 'INACTIVE', reason: 'The flag is disabled.' }
  return { status: 'ACTIVE', reason: full ? 'The flag is on for everybody.' : 'The flag is in use.' }
}
