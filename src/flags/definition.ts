/** Flags as they are stored, and as they are evaluated. */
import type { FlagFilter } from '../contract/resources/feature-flags.ts'
import type { Json, JsonObject } from '../lib/json.ts'

/** A row of `feature_flags`, as far as evaluation needs it. */
export interface StoredFlag {
  readonly id: number
  readonly project_id: number
  readonly key: string
  readonly name: string
  readonly filters: Json
  readonly active: boolean
  readonly version: number
  readonly ensure_experience_continuity: boolean
  readonly evaluation_runtime: string | null
  readonly bucketing_identifier: string | null
  readonly evaluation_contexts: readonly string[]
  readonly has_encrypted_payloads: boolean
  readonly has_experiment: boolean
}

/** A row of `cohorts`, as far as evaluation needs it. */
export interface StoredFlagCohort {
  readonly id: number
  readonly is_static: boolean
  readonly filters: Json
  readonly groups: Json
}

/** What somebody asks flags for. */
export interface Subject {
  readonly distinctId: string
  readonly anonDistinctId?: string | undefined
  readonly deviceId?: string | undefined
  /** Type of group -> key of the group. */
  readonly groups: Readonly<Record<string, Json>>
  /** Properties that came with the request: they count over stored ones. */
  readonly personProperties: JsonObject
  readonly groupProperties: Readonly<Record<string, JsonObject>>
  /** What is stored; null when it could not be read. Without a stored person there are no properties, which is no error. */
  readonly stored: StoredSubject | null
  readonly now: number
}

export interface StoredSubject {
  readonly person: { readonly uuid: string; readonly properties: JsonObject; readonly createdAt: number } | null
  /** Index of a group type -> properties of the group of that type that was asked about. */
  readonly groups: ReadonlyMap<number, JsonObject>
  /** Flag key -> what its rollout is decided by instead of the distinct id. */
  readonly hashKeys: ReadonlyMap<string, string>
  readonly staticCohorts: ReadonlySet<number>
  /** Whether the person is in a cohort by behaviour; undefined when that is not known now. */
  isIn(cohortId: number): { readonly member: boolean; readonly ageMs: number } | undefined
}

export const NOTHING_STORED: StoredSubject = {
  person: null,
  groups: new Map(),
  hashKeys: new Map(),
  staticCohorts: new Set(),
  isIn: () => ({ member: false, ageMs: 0 }),
}

/** Whether a value satisfies a filter. Never throws. */
export type Matcher = (value: Json | undefined, now: number) => boolean

export type CompiledFilter =
  | { readonly kind: 'person'; readonly filter: FlagFilter; readonly key: string; readonly matches: Matcher }
  | { readonly kind: 'person_metadata'; readonly filter: FlagFilter; readonly key: string; readonly matches: Matcher }
  | { readonly kind: 'group'; readonly filter: FlagFilter; readonly key: string; readonly matches: Matcher }
  | { readonly kind: 'cohort'; readonly filter: FlagFilter; readonly cohortId: number; readonly negated: boolean }
  | { readonly kind: 'flag'; readonly filter: FlagFilter; readonly flagId: number; readonly expected: boolean | string }

export interface CompiledCondition {
  readonly index: number
  /** In the order they are looked at: flags and properties, then cohorts. */
  readonly filters: readonly CompiledFilter[]
  /** 0 to 100. */
  readonly rollout: number
  /** Only if it names a variant of the flag. */
  readonly variant: string | null
  /** Null: about persons. */
  readonly groupTypeIndex: number | null
}

export interface CompiledFlag {
  readonly stored: StoredFlag
  readonly conditions: readonly CompiledCondition[]
  /** Cumulative shares, up to 1. */
  readonly variants: readonly { readonly key: string; readonly upTo: number }[]
  readonly payloads: JsonObject
  readonly enrollment: 'property' | 'super_groups' | null
  readonly superConditions: readonly CompiledCondition[]
  readonly holdout: { readonly id: string; readonly share: number } | null
  readonly earlyExit: boolean
  readonly byDevice: boolean
  readonly contexts: readonly string[]
  /** Ids of flags, and in which order they have to be decided; null when there is a circle or one is missing. */
  readonly dependencies: readonly number[] | null
  /** What is wrong with the stored definition: the flag is off, and answers say that it failed. */
  readonly broken: string | null
}

/** A cohort as it can be decided for one person. */
export type CompiledCohort =
  | { readonly id: number; readonly kind: 'static' }
  | { readonly id: number; readonly kind: 'behavioural' }
  | { readonly id: number; readonly kind: 'properties'; readonly criteria: CohortCriteria }

export type CohortCriteria =
  | { readonly kind: 'group'; readonly all: boolean; readonly values: readonly CohortCriteria[] }
  | { readonly kind: 'not'; readonly of: CohortCriteria }
  | { readonly kind: 'person'; readonly key: string; readonly matches: Matcher }
  | { readonly kind: 'cohort'; readonly cohortId: number; readonly negated: boolean }

/** All flags of a project, ready to be evaluated. */
export interface ProjectFlags {
  readonly projectId: number
  readonly timezone: string
  /** By key. */
  readonly flags: readonly CompiledFlag[]
  readonly byId: ReadonlyMap<number, CompiledFlag>
  readonly cohorts: ReadonlyMap<number, CompiledCohort>
  /** Name by index. */
  readonly groupTypes: ReadonlyMap<number, string>
  /** What has to be read about somebody before these flags can be evaluated. */
  readonly needs: Needs
}

export interface Needs {
  readonly person: boolean
  readonly hashKeys: boolean
  readonly staticCohorts: boolean
  readonly behaviouralCohorts: readonly number[]
  readonly groupTypes: readonly number[]
}
