/**
 * Feature flags: the `filters` document that SDKs and clients share, a flag as the API answers it, and the fields a
 * client may send. What depends on other flags, cohorts and group types is checked where a flag is saved.
 */
import { z } from 'zod'
import { anyJson, anyObject, dateTime, id } from '../answer-fields.ts'
import { flag, text } from '../fields.ts'
import { SHARED_OPERATORS } from '../queries/property-filters.ts'
import { userSchema } from './user.ts'

export const FLAG_OPERATORS = [...SHARED_OPERATORS, 'flag_evaluates_to'] as const
export type FlagOperator = (typeof FLAG_OPERATORS)[number]

const percentage = z.number().min(0, 'Must be 0 to 100.').max(100, 'Must be 0 to 100.')
const groupTypeIndex = z.int().min(0).max(4)

/** One thing that must be true: of the person, of a group, of a cohort, or of another flag. */
export const flagFilterSchema = z
  .looseObject({
    key: z.union([z.string(), z.int()]).transform(String),
    value: anyJson.optional(),
    operator: z.enum(FLAG_OPERATORS).nullish(),
    type: z.enum(['person', 'person_metadata', 'group', 'cohort', 'flag']).nullish(),
    group_type_index: groupTypeIndex.nullish(),
    negation: z.boolean().nullish(),
  })
  .meta({ id: 'FeatureFlagFilter' })
export type FlagFilter = z.output<typeof flagFilterSchema>

/** All filters must match; then the rollout decides. */
export const flagConditionSchema = z
  .looseObject({
    properties: z.array(flagFilterSchema).max(500).nullish(),
    rollout_percentage: percentage.nullish().meta({ description: 'Absent or null: everybody who matches.' }),
    variant: z.string().nullish().meta({ description: 'The variant for everybody who matches.' }),
    aggregation_group_type_index: groupTypeIndex
      .nullish()
      .meta({ description: 'Absent: as the flag says. Null: persons.' }),
    description: z.string().nullish(),
    sort_key: z.union([z.string(), z.number()]).nullish(),
  })
  .meta({ id: 'FeatureFlagCondition' })
export type FlagCondition = z.output<typeof flagConditionSchema>

export const flagVariantSchema = z
  .looseObject({
    key: z.string().min(1).max(400),
    name: z.string().nullish(),
    rollout_percentage: percentage,
  })
  .meta({ id: 'FeatureFlagVariant' })
export type FlagVariant = z.output<typeof flagVariantSchema>

export const flagFiltersSchema = z
  .looseObject({
    groups: z.array(flagConditionSchema).max(500).nullish(),
    multivariate: z.looseObject({ variants: z.array(flagVariantSchema).max(100) }).nullish(),
    aggregation_group_type_index: groupTypeIndex.nullish(),
    payloads: z.record(z.string(), anyJson).nullish().meta({ description: 'By variant, or "true": JSON as text.' }),
    super_groups: z.array(flagConditionSchema).max(100).nullish(),
    feature_enrollment: z.boolean().nullish(),
    holdout: z.looseObject({ id: z.int(), exclusion_percentage: percentage }).nullish(),
    holdout_groups: z
      .array(z.looseObject({ variant: z.string().nullish(), rollout_percentage: percentage.nullish() }))
      .max(10)
      .nullish(),
    early_exit: z.boolean().nullish(),
  })
  .meta({ id: 'FeatureFlagFilters' })
export type FlagFilters = z.output<typeof flagFiltersSchema>

export const EVALUATION_RUNTIMES = ['client', 'server', 'all'] as const
export const BUCKETING_IDENTIFIERS = ['distinct_id', 'device_id'] as const
export const FLAG_STATUSES = ['ACTIVE', 'INACTIVE', 'STALE', 'DELETED', 'UNKNOWN'] as const

/** A flag as the management API answers it. */
export const featureFlagSchema = z
  .object({
    id,
    name: z.string().meta({ description: 'What the flag is for; pages show it as its description.' }),
    key: z.string(),
    filters: anyObject.meta({ description: 'FeatureFlagFilters, as it was saved.' }),
    deleted: z.boolean(),
    active: z.boolean(),
    archived: z.boolean(),
    created_by: userSchema.nullable(),
    created_at: dateTime,
    updated_at: dateTime,
    version: z.int(),
    last_modified_by: userSchema.nullable(),
    is_simple_flag: z.boolean(),
    rollout_percentage: z.number().nullable(),
    ensure_experience_continuity: z.boolean(),
    experiment_set: z.array(id),
    experiment_set_metadata: z.array(z.object({ id, name: z.string() })),
    surveys: z.array(anyObject),
    features: z.array(anyObject),
    rollback_conditions: z.null(),
    performed_rollback: z.literal(false),
    can_edit: z.boolean(),
    tags: z.array(z.string()),
    evaluation_contexts: z.array(z.string()),
    usage_dashboard: id.nullable(),
    analytics_dashboards: z.array(id),
    has_enriched_analytics: z.boolean(),
    user_access_level: z.string(),
    creation_context: z.string(),
    is_remote_configuration: z.boolean(),
    has_encrypted_payloads: z.boolean(),
    status: z.enum(FLAG_STATUSES),
    evaluation_runtime: z.enum(EVALUATION_RUNTIMES).nullable(),
    bucketing_identifier: z.enum(BUCKETING_IDENTIFIERS).nullable(),
    last_called_at: dateTime.nullable(),
  })
  .meta({ id: 'FeatureFlag' })
export type FeatureFlag = z.infer<typeof featureFlagSchema>

/** What a client may send to make or change a flag. */
export const featureFlagFieldsSchema = z.object({
  key: text(400).optional(),
  name: text().optional(),
  filters: flagFiltersSchema.optional(),
  active: flag.optional(),
  archived: flag.optional(),
  deleted: flag.optional(),
  ensure_experience_continuity: flag.nullish(),
  evaluation_runtime: z.enum(EVALUATION_RUNTIMES).nullish(),
  bucketing_identifier: z.enum(BUCKETING_IDENTIFIERS).nullish(),
  evaluation_contexts: z.array(text(255)).max(100).optional(),
  tags: z.array(text(255)).max(100).optional(),
  is_remote_configuration: flag.nullish(),
  has_encrypted_payloads: flag.nullish(),
  creation_context: text(100).optional(),
  version: z.int32().min(0).optional().meta({ description: 'The version that was read: 409 when it is old.' }),
  original_flag: anyObject.optional().meta({ description: 'The flag as it was read.' }),
})
export type FeatureFlagFields = z.output<typeof featureFlagFieldsSchema>
