import { z } from 'zod'
import { anyObject, dateTime, id, uuid } from '../answer-fields.ts'
import { organizationSchema } from './organization.ts'
import { listedProjectSchema } from './project.ts'

export const ROLES_AT_ORGANIZATION = [
  'engineering',
  'data',
  'product',
  'founder',
  'leadership',
  'marketing',
  'sales',
  'other',
] as const

/** A user as other answers embed it (`created_by` and the like): every field is present, unset text is "". */
export const userSchema = z
  .object({
    id,
    uuid,
    distinct_id: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    email: z.string(),
    is_email_verified: z.boolean(),
    hedgehog_config: anyObject,
    role_at_organization: z.string(),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof userSchema>

/** The calling user, with organisations and projects. */
export const accountSchema = userSchema
  .extend({
    date_joined: dateTime,
    pending_email: z.null(),
    has_password: z.boolean(),
    notification_settings: anyObject,
    anonymize_data: z.boolean(),
    toolbar_mode: z.string(),
    is_staff: z.boolean().meta({ description: 'May see how the service itself is.' }),
    is_2fa_enabled: z.boolean(),
    has_social_auth: z.boolean(),
    has_seen_product_intro_for: anyObject,
    scene_personalisation: z.array(z.never()),
    theme_mode: z.null(),
    events_column_config: z.object({ active: z.literal('DEFAULT') }),
    team: listedProjectSchema.nullable(),
    organization: organizationSchema.extend({ teams: z.array(listedProjectSchema) }).nullable(),
    organizations: z.array(organizationSchema),
  })
  .meta({ id: 'Account' })
export type Account = z.infer<typeof accountSchema>

export const accountChangesSchema = z.object({
  first_name: z.string().trim().max(150).optional(),
  last_name: z.string().trim().max(150).optional(),
  role_at_organization: z.union([z.enum(ROLES_AT_ORGANIZATION), z.literal('')]).optional(),
  hedgehog_config: z.record(z.string(), z.unknown()).optional(),
})
