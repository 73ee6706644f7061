import type { Json } from '../../lib/json.ts'

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
