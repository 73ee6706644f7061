/** The parts that insight queries share, with upstream's keys. Keys that only change how a result is drawn are not read. */
import { z } from 'zod'
import { isDate, notADate } from '../plan/parse-date.ts'
import { propertiesSchema } from './property-filters.ts'

/** Absent and null mean the same thing in every node. */
export const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)

export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

const INTERVALS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Interval = (typeof INTERVALS)[number]
export const intervalSchema = z
  .enum(INTERVALS)
  .nullish()
  .transform((value): Interval => value ?? 'day')

const dateOr = (words: readonly string[]) =>
  z.string().superRefine((text, context) => {
    if (!words.includes(text) && !isDate(text)) context.addIssue({ code: 'custom', message: notADate(text) })
  })

/** "all" is from the first event on; an empty text is none. */
export const dateFromSchema = optional(dateOr(['', 'all']))
export const dateToSchema = optional(dateOr(['']))

export const dateRangeSchema = z
  .object({ date_from: dateFromSchema, date_to: dateToSchema, explicitDate: flag })
  .nullish()
  .transform((range) => range ?? { date_from: undefined, date_to: undefined, explicitDate: false })
export type DateRangeInput = z.infer<typeof dateRangeSchema>

const COUNT_MATHS = [
  'total',
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'unique_group',
  'first_time_for_user',
  'first_time_for_user_with_filters',
  'first_matching_event_for_user',
] as const
export const PROPERTY_MATHS = ['avg', 'sum', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const
const PER_ACTOR_MATHS = [
  'avg_count_per_actor',
  'min_count_per_actor',
  'max_count_per_actor',
  'median_count_per_actor',
  'p75_count_per_actor',
  'p90_count_per_actor',
  'p95_count_per_actor',
  'p99_count_per_actor',
] as const
const MATHS = [...COUNT_MATHS, ...PROPERTY_MATHS, ...PER_ACTOR_MATHS, 'hogql'] as const
export type Math = (typeof MATHS)[number]

const groupIndex = z.number().int().min(0).max(4)

const seriesFields = {
  name: optional(z.string()),
  custom_name: optional(z.string()),
  math: optional(z.enum(MATHS)),
  math_property: optional(z.string()),
  math_property_type: optional(z.string()),
  math_hogql: optional(z.string()),
  math_group_type_index: optional(groupIndex),
  math_multiplier: optional(z.number()),
  properties: propertiesSchema,
  fixedProperties: propertiesSchema,
  optionalInFunnel: flag,
}

/** Never read from a client: what the project has defined is filled in before planning (definitions/). */
export function definedElsewhere<T>() {
  return z
    .unknown()
    .optional()
    .transform((): T | undefined => undefined)
}

export const eventsNodeSchema = z.object({
  ...seriesFields,
  kind: z.literal('EventsNode'),
  event: optional(z.string()),
})
export type EventsNode = z.infer<typeof eventsNodeSchema>
export const actionsNodeSchema = z.object({
  ...seriesFields,
  kind: z.literal('ActionsNode'),
  id: z.coerce.number(),
  nodes: definedElsewhere<readonly EventsNode[]>(),
})
export const groupNodeSchema = z.object({
  ...seriesFields,
  kind: z.literal('GroupNode'),
  operator: z.enum(['AND', 'OR']).nullish(),
  nodes: z.array(z.discriminatedUnion('kind', [eventsNodeSchema, actionsNodeSchema])),
})
export const seriesNodeSchema = z.discriminatedUnion('kind', [eventsNodeSchema, actionsNodeSchema, groupNodeSchema])
export type SeriesNode = z.infer<typeof seriesNodeSchema>

const BREAKDOWN_TYPES = ['event', 'person', 'group', 'session', 'hogql', 'cohort', 'event_metadata'] as const
export type BreakdownType = (typeof BREAKDOWN_TYPES)[number]
const breakdownName = z.union([z.string(), z.number()])

export const breakdownFilterSchema = z
  .object({
    breakdown: optional(z.union([breakdownName, z.array(breakdownName)])),
    breakdown_type: optional(z.enum(BREAKDOWN_TYPES)),
    breakdown_group_type_index: optional(groupIndex),
    breakdown_limit: optional(z.number().int().min(1)),
    /** Ours: where the page of values starts that `next` leads to. */
    breakdown_offset: optional(z.number().int().min(0)),
    breakdown_normalize_url: flag,
    breakdown_hide_other_aggregation: flag,
    breakdown_histogram_bin_count: optional(z.number().int().min(1).max(1000)),
    breakdowns: optional(
      z
        .array(
          z.object({
            property: breakdownName,
            type: optional(z.enum(BREAKDOWN_TYPES)),
            normalize_url: flag,
            group_type_index: optional(groupIndex),
            histogram_bin_count: optional(z.number().int().min(1).max(1000)),
          }),
        )
        .max(3, 'At most three breakdowns can be combined.'),
    ),
  })
  .nullish()
  .transform((value) => value ?? undefined)
export type BreakdownFilter = NonNullable<z.infer<typeof breakdownFilterSchema>>

export const compareFilterSchema = z
  .object({ compare: flag, compare_to: optional(z.string()) })
  .nullish()
  .transform((value) => value ?? undefined)

/** What every insight query carries. */
export const commonFields = {
  dateRange: dateRangeSchema,
  filterTestAccounts: flag,
  properties: propertiesSchema,
  aggregation_group_type_index: optional(groupIndex),
  samplingFactor: optional(z.number().gt(0).max(1)),
}
