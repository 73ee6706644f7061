import { z } from 'zod'
import { dateTime, id, uuid } from '../answer-fields.ts'

export const personalKeySchema = z
  .object({
    id: z.string(),
    label: z.string(),
    value: z.string().nullable().meta({ description: 'The key itself, in the answer that makes or rolls it only.' }),
    mask_value: z.string(),
    created_at: dateTime,
    last_used_at: dateTime.nullable(),
    last_rolled_at: dateTime.nullable(),
    user_id: id,
    scopes: z.array(z.string()),
    scoped_teams: z.array(id),
    scoped_organizations: z.array(uuid),
    expires_at: dateTime.nullable(),
    allowed_addresses: z.array(z.string()).meta({ description: 'Addresses and networks; empty: every one.' }),
  })
  .meta({ id: 'PersonalKey' })
export type PersonalKey = z.infer<typeof personalKeySchema>

/** Which scopes and networks there are, the service knows. */
export const personalKeyFieldsSchema = z.object({
  label: z.string().trim().min(1).max(40),
  scopes: z.array(z.string()).min(1, 'Name at least one scope, such as person:read, or "*" for all.'),
  scoped_teams: z.array(z.int32()).nullish(),
  scoped_organizations: z.array(z.uuid()).nullish(),
  expires_at: z.iso
    .datetime({ offset: true, error: 'Must be a moment such as 2027-01-31T00:00:00Z.' })
    .transform((text) => new Date(text))
    .refine((moment) => moment > new Date(), { error: 'Must be in the future.' })
    .nullish(),
  allowed_addresses: z.array(z.string().trim()).max(100).nullish(),
})
