import { z } from 'zod'
import { anyJson, dateTime, id } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { flag, integer, text } from '../fields.ts'
import { userSchema } from './user.ts'

/** What lists of insights need to know of each. */
export const basicInsightSchema = z
  .object({
    id,
    short_id: z.string(),
    name: z.string().nullable(),
    derived_name: z.string().nullable(),
    filters: anyJson.meta({ description: 'Older insights say with these what they ask; {} beside a query.' }),
    query: anyJson.meta({ description: 'The query node; null: see filters.' }),
    dashboards: z.array(id),
    dashboard_tiles: z.array(z.object({ id, dashboard_id: id, deleted: z.boolean() })),
    description: z.string().nullable(),
    last_refresh: dateTime.nullable(),
    refreshing: z.boolean(),
    saved: z.boolean(),
    tags: z.array(z.string()),
    updated_at: dateTime,
    created_by: userSchema.nullable(),
    created_at: dateTime,
    last_modified_at: dateTime,
    last_modified_by: userSchema.nullable(),
    favorited: z.boolean(),
  })
  .meta({ id: 'BasicInsight' })
export type BasicInsight = z.infer<typeof basicInsightSchema>

/** Everything; `result` is null unless there are numbers at hand, or a refresh was asked for. */
export const insightSchema = basicInsightSchema
  .extend({
    order: z.int().nullable(),
    deleted: z.boolean(),
    cache_target_age: z.null(),
    next_allowed_client_refresh: z.null(),
    result: z.unknown().meta({ description: 'What `query/` answers as `results`.' }),
    hasMore: z.boolean().nullable(),
    columns: z.array(z.string()).nullable(),
    is_sample: z.boolean(),
    effective_restriction_level: z.int(),
    effective_privilege_level: z.int(),
    timezone: z.string(),
    is_cached: z.boolean(),
    query_status: z.null(),
    hogql: z.string().nullable(),
    types: z.unknown(),
  })
  .meta({ id: 'Insight' })
export type Insight = z.infer<typeof insightSchema>

export const viewedInsightSchema = basicInsightSchema
  .extend({ last_viewed_at: dateTime.nullable() })
  .meta({ id: 'ViewedInsight' })
export type ViewedInsight = z.infer<typeof viewedInsightSchema>

const dashboardIds = z.string().transform((given, context): number[] => {
  try {
    return z.array(z.int32()).parse(JSON.parse(given.startsWith('[') ? given : `[${given}]`))
  } catch {
    context.addIssue({ code: 'custom', message: 'Send a JSON list of dashboard ids, such as [1, 2].' })
    return []
  }
})

export const insightListQuerySchema = pageQuerySchema.extend({
  saved: flag.optional(),
  favorited: flag.optional(),
  user: z.string().optional(),
  created_by: integer.optional(),
  short_id: z.string().optional(),
  search: z.string().optional(),
  insight: z.string().optional(),
  dashboards: dashboardIds.optional(),
  date_from: z.string().optional(),
  date_to: z.string().optional(),
  basic: z.string().optional(),
  order: z.string().default('-last_modified_at'),
})

/** `refresh`: true, force_blocking and the like ask anew; without it what is at hand is shown. */
export const refreshQuerySchema = z.looseObject({ refresh: z.string().optional() })

/** Everything is optional, and what is not here is not for clients to write. */
export const insightFieldsSchema = z.object({
  name: text(400).nullable().optional(),
  derived_name: text(400).nullable().optional(),
  description: text().nullable().optional(),
  filters: anyJson.optional(),
  query: anyJson.optional(),
  order: z.int32().nullable().optional(),
  deleted: flag.optional(),
  dashboards: z.array(z.int32()).optional(),
  tags: z
    .array(text(255))
    .nullish()
    .transform((given) => given ?? undefined),
  favorited: flag.optional(),
  saved: flag.optional(),
})

export const viewedInsightsSchema = z.object({ insight_ids: z.array(z.int32()).max(1_000) })
