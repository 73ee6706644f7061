import { z } from 'zod'
import { dateTime, properties } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'

export const groupTypeSchema = z
  .object({
    group_type: z.string(),
    group_type_index: z.int(),
    name_singular: z.string().nullable(),
    name_plural: z.string().nullable(),
  })
  .meta({ id: 'GroupType' })
export type GroupType = z.infer<typeof groupTypeSchema>

export const groupSchema = z
  .object({ group_type_index: z.int(), group_key: z.string(), group_properties: properties, created_at: dateTime })
  .meta({ id: 'Group' })
export type Group = z.infer<typeof groupSchema>

/** Nobody reads groups backwards: `previous` is there for clients that look for it. */
export const groupPageSchema = z.object({
  next: z.url().nullable(),
  previous: z.null(),
  results: z.array(groupSchema),
})

export const groupTypeIndex = z
  .string()
  .regex(/^[0-4]$/, 'Must be an index of a group type, 0 to 4.')
  .transform(Number)

export const groupListQuerySchema = z.object({
  group_type_index: groupTypeIndex,
  search: z.string().optional(),
  group_key: z.string().optional(),
  cursor: z.string().optional(),
  limit: pageQuerySchema.shape.limit,
})
export const groupFindQuerySchema = z.object({ group_type_index: groupTypeIndex, group_key: z.string() })
export const groupValuesQuerySchema = z.object({
  group_type_index: groupTypeIndex,
  key: z.string().min(1),
  value: z.string().optional(),
})

/** By index of the type of group. */
export const groupPropertiesSchema = z.record(z.string(), z.array(z.object({ name: z.string(), count: z.int() })))
export const groupValueSchema = z.object({ name: z.string(), count: z.int() })
