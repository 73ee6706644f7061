/** Who changed what by hand. */
import { z } from 'zod'
import { anyJson, dateTime, id } from '../answer-fields.ts'

const positiveInteger = (fallback: number, most: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'A valid positive integer is required.')
    .transform((text) => Math.min(Number(text), most))
    .default(fallback)

export const activityQuerySchema = z.object({ limit: positiveInteger(10, 1_000), page: positiveInteger(1, 1_000_000) })
export type ActivityQuery = z.output<typeof activityQuerySchema>

export const changeSchema = z
  .object({
    type: z.string(),
    action: z.enum(['created', 'changed', 'deleted', 'split']),
    field: z.string().nullable(),
    before: anyJson,
    after: anyJson,
  })
  .meta({ id: 'Change' })

export const activitySchema = z
  .object({
    id,
    user: z.object({ first_name: z.string(), email: z.string() }).nullable(),
    activity: z.string(),
    scope: z.string(),
    item_id: z.string(),
    detail: z.object({
      name: z.string(),
      short_id: z.string().nullable(),
      changes: z.array(changeSchema),
      trigger: z.null(),
      type: z.null(),
    }),
    created_at: dateTime,
  })
  .meta({ id: 'Activity' })
export type Activity = z.infer<typeof activitySchema>

export const activityPageSchema = z
  .object({
    results: z.array(activitySchema),
    next: z.url().nullable(),
    previous: z.url().nullable(),
    total_count: z.int(),
  })
  .meta({ id: 'ActivityPage' })
