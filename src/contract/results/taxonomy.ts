/** Answers about what a project has. */
import { z } from 'zod'
import { queryFields } from './envelope.ts'
import { actorsAnswerSchema } from './tables.ts'
import type { Wire } from './wire.ts'

const samples = z.object({ sample_values: z.array(z.string()), sample_count: z.int() })

const databaseFieldSchema = z
  .object({
    name: z.string(),
    hogql_value: z.string().meta({ description: 'As it is written in a query.' }),
    type: z.string(),
    schema_valid: z.literal(true),
    description: z.string(),
    properties: z
      .enum(['event', 'person', 'group'])
      .nullable()
      .meta({ description: 'Whose properties it holds, by name.' }),
    sample: z.string().nullable().meta({ description: 'A value of it, when one was seen lately.' }),
  })
  .meta({ id: 'DatabaseField' })
export type DatabaseField = Wire<typeof databaseFieldSchema>

const databaseTableSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.enum(['posthog', 'system']),
    description: z.string(),
    fields: z.record(z.string(), databaseFieldSchema),
  })
  .meta({ id: 'DatabaseTable' })
export type DatabaseTable = Wire<typeof databaseTableSchema>

const timelineEventSchema = z.object({
  id: z.string(),
  event: z.string(),
  timestamp: z.string(),
  distinct_id: z.string(),
  properties: z.record(z.string(), z.unknown()),
  elements_chain: z.string(),
  person: z.null(),
  elements: z.array(z.never()),
})

const rows = z.array(z.array(z.unknown()))

export const taxonomyAnswerSchemas = {
  DatabaseSchemaQuery: z
    .object({
      tables: z.record(z.string(), databaseTableSchema),
      joins: z.array(z.never()),
      results: z.array(z.never()),
      ...queryFields,
    })
    .meta({ id: 'DatabaseSchemaQueryAnswer' }),
  TeamTaxonomyQuery: z
    .object({
      results: z.array(z.object({ event: z.string(), count: z.int() })),
      hasMore: z.boolean(),
      limit: z.int(),
      offset: z.int(),
      ...queryFields,
    })
    .meta({ id: 'TeamTaxonomyQueryAnswer' }),
  EventTaxonomyQuery: z
    .object({ results: z.array(samples.extend({ property: z.string() })), ...queryFields })
    .meta({ id: 'EventTaxonomyQueryAnswer' }),
  ActorsPropertyTaxonomyQuery: z
    .object({ results: z.array(samples), ...queryFields })
    .meta({ id: 'ActorsPropertyTaxonomyQueryAnswer', description: 'In the order of the properties.' }),
  GroupsQuery: z
    .object({
      results: rows,
      columns: z.array(z.string()),
      types: z.array(z.string()),
      hasMore: z.boolean(),
      limit: z.int(),
      offset: z.int(),
      ...queryFields,
    })
    .meta({ id: 'GroupsQueryAnswer' }),
  SessionAttributionExplorerQuery: z
    .object({
      results: rows,
      columns: z.array(z.string()),
      types: z.array(z.string()),
      hasMore: z.boolean(),
      limit: z.int(),
      offset: z.int(),
      ...queryFields,
    })
    .meta({ id: 'SessionAttributionExplorerQueryAnswer' }),
  PersonsNode: actorsAnswerSchema,
  SessionsTimelineQuery: z
    .object({
      results: z.array(
        z.object({
          sessionId: z.string(),
          recording_duration_s: z.int().nullable(),
          events: z.array(timelineEventSchema),
        }),
      ),
      hasMore: z.boolean(),
      ...queryFields,
    })
    .meta({ id: 'SessionsTimelineQueryAnswer' }),
} as const
export type TaxonomyAnswers = { [K in keyof typeof taxonomyAnswerSchemas]: Wire<(typeof taxonomyAnswerSchemas)[K]> }
