/** Flags as they are stored, and as they are evaluated. */
import type { FlagFilter } from '../../contract/resources/feature-flags.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { FlagDecision } from './decision.ts'
import type { PrefixHash } from './hash.ts'
import type { StoredFlag } from './stored.ts'

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

/** What is left of the steps that one answer may take, over all of its flags. */
export interface StepsLeft {
  steps: number
}

/** Whether a value satisfies a filter. Never throws. */
export type Matcher = (value: Json | undefined, now: number, left?: StepsLeft) => boolean

export type CompiledFilter =
  | { readonly kind: 'person'; readonly filter: FlagFilter; readonly key: string; readonly matches: Matcher }
  | { readonly kind: 'person_metadata'; readonly filter: FlagFilter; readonly key: string; readonly matches: Matcher }
  | {
      readonly kind: 'group'
      readonly filter: FlagFilter
      readonly key: string
      readonly matches: Matcher
      /** Null: of the type that its condition is about. */
      readonly groupTypeIndex: number | null
    }
  | { readonly kind: 'cohort'; readonly filter: FlagFilter; readonly cohortId: number; readonly negated: boolean }
  | { readonly kind: 'flag'; readonly filter: FlagFilter; readonly flag: string; readonly expected: boolean | string }

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
  /** What the flag as a whole is about; null: persons. */
  readonly groupTypeIndex: number | null
  readonly earlyExit: boolean
  readonly byDevice: boolean
  readonly contexts: readonly string[]
  /** Flags that this one asks for: ids, or keys. */
  readonly asksFor: readonly string[]
  /** What is wrong with the stored definition: the flag is then off. */
  readonly broken: string | null
  /** Nothing but the distinct id (and the definitions) decides. */
  readonly byIdAlone: boolean
  /** Where ids stand in its rollout. */
  readonly hash: PrefixHash
  /** Made once for each outcome, so that an answer is put together of known parts. */
  readonly decisions: Map<number, FlagDecision>
}

/** A cohort as it can be decided for one person. */
export type CompiledCohort =
  | { readonly id: number; readonly kind: 'static' }
  | { readonly id: number; readonly kind: 'behavioural' }
  | {
      readonly id: number
      readonly kind: 'properties'
      readonly criteria: CohortCriteria
      readonly document: JsonObject
    }

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
  /** By id and by key. */
  readonly named: ReadonlyMap<string, CompiledFlag>
  /** Flags whose dependencies are missing or go in a circle. */
  readonly undecidable: ReadonlySet<CompiledFlag>
  readonly cohorts: ReadonlyMap<number, CompiledCohort>
  /** Name by index. */
  readonly groupTypes: ReadonlyMap<number, string>
  /** Whether some flag asks for another one. */
  readonly hasDependencies: boolean
  /** Whether some flag is for certain runtimes or contexts only. */
  readonly hasLimits: boolean
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
