import { z } from 'zod'
import { dateTime, uuid } from '../answer-fields.ts'
import { memberLevel } from './organization.ts'
import { userSchema } from './user.ts'

export const memberSchema = z
  .object({
    id: uuid,
    user: userSchema,
    level: memberLevel,
    joined_at: dateTime,
    updated_at: dateTime,
    is_2fa_enabled: z.boolean(),
    has_social_auth: z.boolean(),
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof memberSchema>

/** 1 member, 8 admin, 15 owner. */
export const levelField = z.union(
  [z.literal(1), z.literal(8), z.literal(15)],
  'Must be 1 (member), 8 (admin) or 15 (owner).',
)

export const memberChangesSchema = z.object({ level: levelField })
