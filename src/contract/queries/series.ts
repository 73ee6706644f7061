/** Series of an insight: an event, an action or several of them counted as one, and how they are counted. */
import { z } from 'zod'
import { sentText } from '../fields.ts'
import { definedElsewhere, flag, groupIndex, optional } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'

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
export type SeriesMath = (typeof MATHS)[number]

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

export const eventsNodeSchema = z
  .object({
    ...seriesFields,
    kind: z.literal('EventsNode'),
    event: optional(sentText),
  })
  .meta({ id: 'EventsNode', description: 'An event by its name; every event when there is none.' })
export type EventsNode = z.infer<typeof eventsNodeSchema>

export const actionsNodeSchema = z
  .object({
    ...seriesFields,
    kind: z.literal('ActionsNode'),
    id: z.coerce.number(),
    nodes: definedElsewhere<readonly EventsNode[]>(),
  })
  .meta({ id: 'ActionsNode', description: 'An action of the project.' })

export const groupNodeSchema = z
  .object({
    ...seriesFields,
    kind: z.literal('GroupNode'),
    operator: z.enum(['AND', 'OR']).nullish(),
    nodes: z.array(z.discriminatedUnion('kind', [eventsNodeSchema, actionsNodeSchema])),
  })
  .meta({ id: 'GroupNode', description: 'Several events or actions that are counted as one.' })

export const seriesNodeSchema = z.discriminatedUnion('kind', [eventsNodeSchema, actionsNodeSchema, groupNodeSchema])
export type SeriesNode = z.infer<typeof seriesNodeSchema>

/** More than anybody reads; each costs a part of a statement, and an engine takes only so long a one. */
const MOST_SERIES = 100
export const seriesSchema = z
  .array(seriesNodeSchema)
  .max(MOST_SERIES, `A question has at most ${MOST_SERIES} series: ask the others separately.`)
