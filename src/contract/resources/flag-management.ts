/** What the management API takes and answers about feature flags besides a flag itself (feature-flags.ts). */

import { z } from 'zod'
import { noneOfThem } from '../../lib/as-sent.ts'
import { asText } from '../../lib/json.ts'
import { anyJson, anyObject, dateTime, id } from '../answer-fields.ts'
import { describedAs } from '../described-as.ts'
import { limitUpTo, pageQuerySchema } from '../envelopes.ts'
import { flag, integer, json, keptObject, text } from '../fields.ts'
import {
  EVALUATION_RUNTIMES,
  FLAG_STATUSES,
  featureFlagFieldsSchema,
  featureFlagSchema,
  flagConditionSchema,
  flagFiltersSchema,
} from './feature-flags.ts'
import { userSchema } from './user.ts'

/** A list in a query string: JSON, or texts with commas between them. */
const list = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (Array.isArray(given) ? given : listIn(given)))
  .meta({ description: 'A list as JSON, or texts with commas between them.' })

function listIn(given: string): string[] {
  const read = given.trim().startsWith('[') ? json.safeParse(given).data : undefined
  const parts = Array.isArray(read) ? read.map(asText) : given.split(',')
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** What flags can be listed by, with a "-" before it for descending. */
export const FLAG_ORDERS = [
  'id',
  'key',
  'name',
  'active',
  'created_at',
  'created_by',
  'updated_at',
  'version',
  'last_called_at',
] as const
export type FlagOrder = (typeof FLAG_ORDERS)[number]

export const flagListQuerySchema = pageQuerySchema.extend({
  search: z.string().optional().meta({ description: 'Part of the key or the name, in any case.' }),
  key: z.string().optional().meta({ description: 'This key and no other.' }),
  active: z
    .string()
    .transform((given) => given.toUpperCase())
    .pipe(z.enum(['TRUE', 'FALSE', 'STALE'], { error: 'Send true, false or STALE.' }))
    .optional(),
  archived: flag.optional().meta({ description: 'Archived flags are left out unless this is true.' }),
  created_by_id: list
    .refine((ids) => ids.every((each) => /^\d{1,9}$/.test(each)), { error: 'Send ids of users.' })
    .optional(),
  type: z
    .enum(['boolean', 'multivariant', 'experiment', 'remote_config'], {
      error: 'Send boolean, multivariant, experiment or remote_config.',
    })
    .optional(),
  tags: list.optional().meta({ description: 'Flags with one of these tags.' }),
  excluded_tags: list.optional(),
  evaluation_runtime: z.enum(EVALUATION_RUNTIMES, { error: 'Send client, server or all.' }).optional(),
  has_evaluation_contexts: flag.optional(),
  order: z
    .string()
    .refine((given) => (FLAG_ORDERS as readonly string[]).includes(given.replace(/^-/, '')), {
      error: ({ input }) =>
        `Order by one of ${FLAG_ORDERS.join(', ')}, with a "-" before it for descending: ${noneOfThem(input)}`,
    })
    .default('-created_at'),
})
export type FlagListQuery = z.output<typeof flagListQuerySchema>

/** The document is kept as it is sent; what is wrong in it is said where a flag is saved. */
export const flagChangesSchema = featureFlagFieldsSchema.extend({
  filters: describedAs(keptObject.optional(), flagFiltersSchema),
  rollout_percentage: z
    .number()
    .nullish()
    .meta({ description: 'When `filters` are left out: of one condition for everybody.' }),
})
export type FlagChanges = z.output<typeof flagChangesSchema>

export const flagVersionSchema = featureFlagSchema
  .omit({ status: true, last_called_at: true })
  .extend({ version_timestamp: dateTime, modified_by: userSchema.nullable(), is_historical: z.boolean() })
  .meta({ id: 'FeatureFlagVersion' })

export const flagStatusSchema = z
  .object({
    status: z.enum(FLAG_STATUSES),
    reason: z.string(),
    rollout: z.object({
      effectively_full_rollout: z.boolean(),
      has_targeting_conditions: z.boolean(),
      max_rollout_percentage: z.number().nullable(),
      is_multivariate: z.boolean(),
    }),
  })
  .meta({ id: 'FeatureFlagStatus' })

export const dependentFlagSchema = z
  .object({ id, key: z.string(), name: z.string(), active: z.boolean() })
  .meta({ id: 'DependentFeatureFlag' })

const flagValue = z.union([z.boolean(), z.string()])

export const evaluationReasonsQuerySchema = z.object({
  distinct_id: z.string().min(1),
  groups: json.optional().meta({ type: 'string', description: 'JSON: {"company": "acme"}.' }),
  flag_keys: list.optional(),
})

const evaluationSchema = z.object({
  reason: z.string(),
  condition_index: z.int().nullable(),
  description: z.string(),
})

/** By the key of the flag. */
export const evaluationReasonsSchema = z
  .record(z.string(), z.object({ value: flagValue, evaluation: evaluationSchema }))
  .meta({ id: 'FeatureFlagEvaluationReasons' })

export type EvaluationReasons = z.infer<typeof evaluationReasonsSchema>

/** A bare list, so that how many there are is not said: ask until a page is not full. */
export const myFlagsQuerySchema = pageQuerySchema.extend({ limit: limitUpTo(1000, 1000) })

export const myFlagSchema = z
  .object({ feature_flag: featureFlagSchema, value: flagValue })
  .meta({ id: 'MyFeatureFlag' })

export const blastRadiusFieldsSchema = z.object({
  condition: describedAs(keptObject, flagConditionSchema),
  group_type_index: z.int().min(0).max(4).nullish(),
})
export const blastRadiusSchema = z
  .object({
    affected: z.int().meta({ description: 'Who matches the filters; the rollout is not counted in.' }),
    total: z.int(),
    users_affected: z.int(),
    total_users: z.int(),
    is_estimate: z.boolean().meta({ description: 'Of so many that only a part of them was looked at.' }),
  })
  .meta({ id: 'BlastRadius' })
export type BlastRadius = z.infer<typeof blastRadiusSchema>

export const testEvaluationFieldsSchema = z
  .object({
    distinct_id: text().optional(),
    person_id: text().optional(),
    timestamp: z.string().optional().meta({ description: 'As of when; relative dates are read from there.' }),
    groups: keptObject.optional(),
  })
  .refine(({ distinct_id, person_id }) => Boolean(distinct_id) !== Boolean(person_id), {
    error: 'Send distinct_id or person_id.',
    path: ['distinct_id'],
  })

const filterAnalysisSchema = z.object({
  key: z.string(),
  type: z.string(),
  operator: z.string(),
  value: anyJson,
  matched: z.boolean(),
  actual: anyJson.meta({ description: 'What the person or group has; null when it has no such property.' }),
  is_set: z.boolean(),
})
const conditionAnalysisSchema = z.object({
  index: z.int(),
  matched: z.boolean(),
  reason: z.string(),
  rollout_percentage: z.number(),
  rollout_position: z
    .number()
    .nullable()
    .meta({ description: 'Where the person or group stands in the rollout, 0 to 100; null when it was not asked.' }),
  variant: z.string().nullable(),
  properties: z.array(filterAnalysisSchema),
})
export const testEvaluationSchema = z
  .object({
    flag_key: z.string(),
    value: flagValue,
    variant: z.string().nullable(),
    payload: anyJson,
    evaluation: evaluationSchema,
    conditions: z.array(conditionAnalysisSchema),
    person: z
      .object({ uuid: z.guid(), name: z.string(), distinct_ids: z.array(z.string()), properties: anyObject })
      .nullable(),
    distinct_id: z.string(),
    evaluated_at: dateTime,
  })
  .meta({ id: 'FeatureFlagTestEvaluation' })
export type TestEvaluation = z.infer<typeof testEvaluationSchema>

const flagIds = z.array(z.int32().min(1)).min(1, 'Send the ids of flags.').max(1_000)
export const flagIdsSchema = z.object({ ids: flagIds })
export const bulkKeysSchema = z.object({ keys: z.record(z.string(), z.string()) }).meta({ id: 'FeatureFlagKeys' })
export const bulkDeletedSchema = z
  .object({
    deleted: z.array(z.object({ id, key: z.string() })),
    errors: z.array(z.object({ id, key: z.string().nullable(), reason: z.string() })),
  })
  .meta({ id: 'FeatureFlagsDeleted' })

export const bulkTagsFieldsSchema = z.object({
  ids: flagIds,
  action: z.enum(['add', 'remove', 'set'], { error: 'Send add, remove or set.' }),
  tags: z.array(text(255)).max(100),
})
export const bulkTagsSchema = z
  .object({
    updated: z.array(z.object({ id, tags: z.array(z.string()) })),
    skipped: z.array(z.object({ id, reason: z.string() })),
  })
  .meta({ id: 'FeatureFlagTags' })

/** The same key in another project of the organisation. */
export const flagOfOrganizationSchema = z
  .object({
    flag_id: id,
    project_id: id,
    team_id: id,
    created_by: userSchema.nullable(),
    filters: anyObject,
    created_at: dateTime,
    active: z.boolean(),
    is_simple_flag: z.boolean(),
    rollout_percentage: z.number().nullable(),
  })
  .meta({ id: 'FeatureFlagOfOrganization' })

export const copyFlagsFieldsSchema = z.object({
  feature_flag_key: text(400),
  from_project: integer,
  target_project_ids: z.array(integer).min(1).max(50),
})
export const copiedFlagsSchema = z
  .object({
    success: z.array(featureFlagSchema),
    failed: z.array(z.object({ project_id: id, error_message: z.string() })),
  })
  .meta({ id: 'CopiedFeatureFlags' })

export const RECURRENCES = ['daily', 'weekly', 'monthly', 'yearly'] as const
export type Recurrence = (typeof RECURRENCES)[number]

export const scheduledChangeSchema = z
  .object({
    id,
    record_id: z.string(),
    model_name: z.literal('FeatureFlag'),
    payload: anyJson,
    scheduled_at: dateTime,
    executed_at: dateTime.nullable(),
    failure_reason: z.string().nullable(),
    is_recurring: z.boolean(),
    recurrence_interval: z.enum(RECURRENCES).nullable(),
    end_date: dateTime.nullable(),
    last_executed_at: dateTime.nullable(),
    created_at: dateTime,
    created_by: userSchema.nullable(),
    updated_at: dateTime,
  })
  .meta({ id: 'ScheduledChange' })
export type ScheduledChange = z.infer<typeof scheduledChangeSchema>

export const scheduledChangeListQuerySchema = pageQuerySchema.extend({
  model_name: z.literal('FeatureFlag').optional(),
  record_id: z.string().optional(),
})

export const CHANGE_OPERATIONS = ['update_status', 'add_release_condition', 'update_variants'] as const

const moment = z
  .string()
  .refine((given) => !Number.isNaN(Date.parse(given)), { error: 'Send a time such as 2026-05-01T12:00:00Z.' })
  .transform((given) => new Date(given))

export const scheduledChangeFieldsSchema = z.object({
  record_id: z.union([z.string(), z.int()]).transform(String),
  model_name: z.literal('FeatureFlag', { error: 'Changes of FeatureFlag can be scheduled.' }),
  payload: z.object({
    operation: z.enum(CHANGE_OPERATIONS, { error: `Send ${CHANGE_OPERATIONS.join(', ')}.` }),
    value: anyJson,
  }),
  scheduled_at: moment,
  is_recurring: flag.optional(),
  recurrence_interval: z.enum(RECURRENCES, { error: `Send ${RECURRENCES.join(', ')}.` }).nullish(),
  end_date: moment.nullish(),
})
export const scheduledChangeChangesSchema = scheduledChangeFieldsSchema
  .omit({ record_id: true, model_name: true })
  .partial()
