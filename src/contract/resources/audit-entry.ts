import { z } from 'zod'
import { quoteSent } from '../../lib/as-sent.ts'
import { anyObject, dateTime, id } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'

export const auditEntrySchema = z
  .object({
    id,
    created_at: dateTime,
    activity: z.string(),
    scope: z.string(),
    item_id: z.string().nullable(),
    user: z.object({ id: id.nullable(), email: z.string(), first_name: z.string() }).nullable(),
    via: z.enum(['session', 'key', 'sign-in', 'command line', 'service']),
    key: z.string().nullable().meta({ description: 'The label of the key.' }),
    address: z.string().nullable(),
    project_id: id.nullable(),
    detail: anyObject,
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof auditEntrySchema>

const moment = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), {
    error: ({ input }) => `${quoteSent(input)} is not a date: send one such as 2026-01-31.`,
  })
  .transform((text) => new Date(text))

export const auditQuerySchema = pageQuerySchema.extend({
  scope: z.string().max(100).optional(),
  activity: z.string().max(100).optional(),
  user: z.coerce.number().int().max(2_147_483_647).optional(),
  after: moment.optional(),
  before: moment.optional(),
})
