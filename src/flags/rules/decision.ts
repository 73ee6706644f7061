/** What a flag is for somebody, and why. */
import type { FlagFilter } from '../../contract/resources/feature-flags.ts'
import type { Json } from '../../lib/json.ts'
import type { StoredFlag } from './stored.ts'

export const REASONS = {
  super_condition_value: 'Super condition value',
  holdout_condition_value: 'Holdout condition value',
  condition_match: 'Matched condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_condition_match: 'No matching condition set',
  no_group_type: 'No group type',
  flag_disabled: 'Feature flag is disabled',
  missing_dependency: 'Flag cannot be evaluated due to missing dependency',
} as const
export type ReasonCode = keyof typeof REASONS

/** Why a flag could not be decided: it is then off, and the answer says that it failed. */
export const FAILURES = {
  person_unavailable: 'The stored person could not be read',
  group_unavailable: 'The stored group could not be read',
  cohort_not_found: 'A cohort of this flag does not exist',
  cohort_unavailable: 'Membership of a cohort could not be read',
  too_much_to_search: 'The properties are too long to be searched by all flags: send less',
} as const
export type FailureCode = keyof typeof FAILURES

export interface Reason {
  readonly code: ReasonCode | FailureCode
  readonly conditionIndex: number | null
  readonly description: string
}

/** How old the answer to "who did this" may be, for cohorts by behaviour. */
export const BEHAVIOUR_MAX_AGE_MS = 10_000

export interface FlagDecision {
  readonly flag: StoredFlag
  readonly key: string
  readonly enabled: boolean
  readonly variant: string | null
  /** As stored: JSON as text, or JSON. */
  readonly payload: Json
  readonly reason: Reason
  readonly failed: boolean
  /** As answers have it, once it has been written. */
  readonly written: { detail: string | null }
  /** Only when it was asked to explain. */
  readonly conditions?: readonly ConditionAnalysis[]
}

/** How one condition was decided, for "why did this person get this". */
export interface ConditionAnalysis {
  readonly index: number
  readonly matched: boolean
  readonly code: ReasonCode | FailureCode
  readonly rolloutPercentage: number
  /** Where the person (or group) stands in the rollout, 0 to 1; null when it did not come to that. */
  readonly rolloutHash: number | null
  readonly variant: string | null
  readonly filters: readonly FilterAnalysis[]
}

export interface FilterAnalysis {
  readonly filter: FlagFilter
  readonly matched: boolean
  /** What the person or group has; undefined when it has no such property. */
  readonly actual: Json | undefined
}

/** `true`, `false` or the variant: what SDKs call the value of a flag. */
export const flagValue = ({ enabled, variant }: Pick<FlagDecision, 'enabled' | 'variant'>): boolean | string =>
  enabled ? (variant ?? true) : false
