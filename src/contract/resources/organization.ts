import { z } from 'zod'
import { dateTime, uuid } from '../answer-fields.ts'

/** 1 member, 8 admin, 15 owner. */
export const memberLevel = z.union([z.literal(1), z.literal(8), z.literal(15)])

export const organizationSchema = z
  .object({
    id: uuid,
    name: z.string(),
    slug: z.string(),
    logo_media_id: z.null(),
    membership_level: memberLevel.meta({ description: 'Of the caller: 1 member, 8 admin, 15 owner.' }),
    created_at: dateTime,
  })
  .meta({ id: 'Organization' })
export type Organization = z.infer<typeof organizationSchema>
