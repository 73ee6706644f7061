import { z } from 'zod'
import { anyJson, anyObject, dateTime, id, uuid } from '../answer-fields.ts'
import { channelRulesSchema } from './channel-rule.ts'

const days = z.int().positive().max(36_500)

/** What people may decide about a project. Anything else in a body is ignored. */
export const projectSettingsSchema = z.object({
  name: z.string().trim().min(1).max(200),
  timezone: z.string().meta({ description: 'An IANA time zone such as "Europe/Berlin".' }),
  week_start_day: z
    .union([z.literal(0), z.literal(1)], 'Must be 0 (Sunday) or 1 (Monday).')
    .nullable()
    .transform((day) => day ?? 0),
  autocapture_opt_out: z
    .boolean()
    .nullable()
    .transform((out) => out ?? false),
  session_recording_opt_in: z.boolean(),
  heatmaps_opt_in: z
    .boolean()
    .nullable()
    .transform((on) => on ?? false),
  honor_do_not_track: z.boolean().meta({
    description: 'Ours: events of browsers that send Do Not Track or Global Privacy Control are not stored.',
  }),
  anonymize_ips: z.boolean(),
  test_account_filters: z.array(z.record(z.string(), anyJson)),
  channel_rules: channelRulesSchema.meta({
    description: 'What channels of sessions are called, before the built-in rules; the first rule that holds decides.',
  }),
  person_display_name_properties: z.array(z.string().min(1).max(400)).max(20).nullable(),
  drop_events_older_than_seconds: z.int32().min(3_600, 'Must be an hour at least.').nullable(),
  data_retention_days: days.nullable(),
  recording_retention_days: days,
  recording_quota_per_month: z.int32().min(0).nullable(),
})

/** What a body says beside a change that cannot be undone, when it comes from a browser. */
export const confirmationSchema = z.object({
  confirm: z.string().max(400).optional().meta({ description: 'The name of the project.' }),
  current_password: z.string().max(1_000).optional(),
})

export const projectSchema = z
  .object({
    id,
    uuid,
    organization: uuid,
    name: z.string(),
    api_token: z.string(),
    timezone: z.string(),
    week_start_day: z.union([z.literal(0), z.literal(1)]),
    autocapture_opt_out: z.boolean(),
    session_recording_opt_in: z.boolean(),
    heatmaps_opt_in: z.boolean(),
    honor_do_not_track: z.boolean(),
    anonymize_ips: z.boolean(),
    test_account_filters: anyJson,
    channel_rules: channelRulesSchema,
    person_display_name_properties: z.array(z.string()).nullable(),
    drop_events_older_than_seconds: z.int().nullable(),
    data_retention_days: z.int().nullable(),
    recording_retention_days: z.int(),
    recording_quota_per_month: z.int().nullable(),
    ingested_event: z.boolean(),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'Project' })
export type Project = z.infer<typeof projectSchema>

/** A project as embedded in its user and in lists. */
export const listedProjectSchema = z
  .object({
    id,
    uuid,
    organization: uuid,
    api_token: z.string(),
    name: z.string(),
    completed_snippet_onboarding: z.boolean(),
    has_completed_onboarding_for: anyObject,
    ingested_event: z.boolean(),
    is_demo: z.boolean(),
    timezone: z.string(),
    access_control: z.boolean(),
  })
  .meta({ id: 'ListedProject' })
export type ListedProject = z.infer<typeof listedProjectSchema>

/** What would be deleted if a project kept its data for so many days only. */
export const retentionPreviewQuerySchema = z.object({
  data_retention_days: z.coerce.number().pipe(days).optional(),
  recording_retention_days: z.coerce.number().pipe(days).optional(),
})
const goneSchema = z.object({ count: z.int(), from: dateTime.nullable(), to: dateTime.nullable() })
/** Null where no number of days was asked about. */
export const retentionPreviewSchema = z
  .object({ events: goneSchema.nullable(), recordings: goneSchema.nullable() })
  .meta({ id: 'RetentionPreview' })
export type RetentionPreview = z.infer<typeof retentionPreviewSchema>

/** How long the key that is replaced is still accepted. */
export const tokenRotationSchema = z.object({
  grace_hours: z
    .int()
    .min(0)
    .max(24 * 90)
    .default(7 * 24),
  ...confirmationSchema.shape,
})

/** A replaced API key of a project that is still accepted. */
export const acceptedTokenSchema = z
  .object({ api_token: z.string(), retired_at: dateTime, accepted_until: dateTime })
  .meta({ id: 'AcceptedToken' })
export type AcceptedToken = z.infer<typeof acceptedTokenSchema>

export const rotatedProjectSchema = projectSchema
  .extend({ accepted_tokens: z.array(acceptedTokenSchema) })
  .meta({ id: 'RotatedProject' })

/** A key of a server that evaluates feature flags itself. */
export const secretKeySchema = z
  .object({
    id: z.string(),
    label: z.string(),
    value: z.string().nullable().meta({ description: 'The key itself, in the answer that makes or rolls it only.' }),
    mask_value: z.string(),
    created_at: dateTime,
    created_by: id.nullable(),
    last_rolled_at: dateTime.nullable(),
    last_used_at: dateTime.nullable(),
  })
  .meta({ id: 'ProjectSecretKey' })

export const secretKeyFieldsSchema = z.object({ label: z.string().trim().min(1).max(40) })
