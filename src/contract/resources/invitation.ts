import { z } from 'zod'
import { dateTime, uuid } from '../answer-fields.ts'
import { levelField } from './member.ts'
import { memberLevel } from './organization.ts'
import { userSchema } from './user.ts'

/** The e-mail of somebody who is to sign in. */
export const emailField = z.email('Must be an e-mail address.').max(254)

export const invitationSchema = z
  .object({
    id: uuid,
    target_email: z.string().nullable(),
    level: memberLevel,
    created_at: dateTime,
    updated_at: dateTime,
    expires_at: dateTime,
    is_expired: z.boolean(),
    created_by: userSchema.nullable(),
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof invitationSchema>

/** With the link, which is shown this once. */
export const newInvitationSchema = invitationSchema
  .extend({ created_by: userSchema, token: z.string(), url: z.url(), organization: uuid })
  .meta({ id: 'NewInvitation' })
export type NewInvitation = z.infer<typeof newInvitationSchema>

export const invitationFieldsSchema = z.object({
  target_email: emailField.nullish(),
  level: levelField.default(1),
  expires_in_days: z.int().min(1).max(30).default(3),
})

/** What an invitation is for, to whoever follows its link. */
export const openInvitationSchema = z
  .object({
    organization_name: z.string(),
    target_email: z.string().nullable(),
    expires_at: dateTime,
    has_account: z.boolean(),
  })
  .meta({ id: 'OpenInvitation' })
export type OpenInvitation = z.infer<typeof openInvitationSchema>

export const newcomerSchema = z.object({
  email: emailField.optional(),
  first_name: z.string().trim().max(150).default(''),
  last_name: z.string().trim().max(150).default(''),
  password: z.string().min(1).max(1_000),
})
