import { z } from 'zod'
import { anyJson, dateTime, id } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { flag, text } from '../fields.ts'
import { insightSchema } from './insight.ts'
import { userSchema } from './user.ts'

/** A dashboard in a list. */
export const basicDashboardSchema = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    pinned: z.boolean(),
    filters: anyJson,
    tags: z.array(z.string()),
    deleted: z.boolean(),
    created_at: dateTime,
    created_by: userSchema.nullable(),
    is_shared: z.boolean(),
    creation_mode: z.literal('default'),
    restriction_level: z.int(),
    effective_restriction_level: z.int(),
    effective_privilege_level: z.int(),
  })
  .meta({ id: 'BasicDashboard' })
export type BasicDashboard = z.infer<typeof basicDashboardSchema>

export const dashboardTileSchema = z
  .object({
    id,
    insight: insightSchema.nullable(),
    error: z.object({ type: z.string(), message: z.string() }).optional(),
    text: z.object({ body: z.string() }).nullable(),
    layouts: anyJson,
    color: z.string().nullable(),
    deleted: z.boolean(),
  })
  .meta({ id: 'DashboardTile' })
export type DashboardTile = z.infer<typeof dashboardTileSchema>

export const dashboardSchema = basicDashboardSchema
  .extend({ tiles: z.array(dashboardTileSchema) })
  .meta({ id: 'Dashboard' })
export type Dashboard = z.infer<typeof dashboardSchema>

export const dashboardListQuerySchema = pageQuerySchema.extend({
  search: z.string().optional(),
  pinned: flag.optional(),
})

export const dashboardFieldsSchema = z.object({
  name: text(400).nullable().optional(),
  description: text().nullable().optional(),
  pinned: flag.optional(),
  filters: anyJson.optional(),
  tags: z.array(text(255)).optional(),
  deleted: flag.optional(),
  tiles: z
    .array(
      z.object({
        id: z.int32().optional(),
        layouts: anyJson.optional(),
        color: text(400).nullable().optional(),
        deleted: flag.nullish().transform((given) => given ?? undefined),
        insight: anyJson
          .optional()
          .meta({ description: 'When a dashboard is created: the insight to show, as an API answered it.' }),
        text: z
          .object({ body: text(4_000) })
          .nullable()
          .optional(),
      }),
    )
    .max(1_000)
    .optional(),
})
