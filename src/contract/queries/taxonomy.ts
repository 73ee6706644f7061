/** Questions about what a project has: its tables, events and properties, groups, and what one person did. */
import { z } from 'zod'
import { dateFromSchema, dateRangeSchema, dateToSchema } from './dates.ts'
import { optional, texts } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'

const page = { limit: optional(z.int().min(1).max(50_000)), offset: optional(z.int().min(0)) }
const sampled = { maxPropertyValues: optional(z.int().min(1).max(100)) }

export const databaseSchemaQuerySchema = z
  .object({ kind: z.literal('DatabaseSchemaQuery') })
  .meta({ id: 'DatabaseSchemaQuery', description: 'The tables and fields that SQL can read, with an example of each.' })

export const teamTaxonomyQuerySchema = z
  .object({ kind: z.literal('TeamTaxonomyQuery'), ...page })
  .meta({ id: 'TeamTaxonomyQuery', description: 'The events of the last 30 days, by how many there were.' })
export type TeamTaxonomyQuery = z.infer<typeof teamTaxonomyQuerySchema>

export const eventTaxonomyQuerySchema = z
  .object({
    kind: z.literal('EventTaxonomyQuery'),
    event: optional(z.string()),
    actionId: optional(z.int()),
    properties: texts,
    ...sampled,
  })
  .meta({
    id: 'EventTaxonomyQuery',
    description: 'The properties of an event or an action, with some of their values.',
  })
export type EventTaxonomyQuery = z.infer<typeof eventTaxonomyQuerySchema>

export const actorsPropertyTaxonomyQuerySchema = z
  .object({
    kind: z.literal('ActorsPropertyTaxonomyQuery'),
    properties: z.array(z.string().min(1)).min(1).max(50),
    groupTypeIndex: optional(z.int().min(0).max(4)),
    ...sampled,
  })
  .meta({ id: 'ActorsPropertyTaxonomyQuery', description: 'Some values of properties of persons, or of groups.' })
export type ActorsPropertyTaxonomyQuery = z.infer<typeof actorsPropertyTaxonomyQuerySchema>

export const groupsQuerySchema = z
  .object({
    kind: z.literal('GroupsQuery'),
    group_type_index: z.int().min(0).max(4),
    select: texts,
    search: optional(z.string()),
    properties: propertiesSchema,
    orderBy: texts,
    ...page,
  })
  .meta({ id: 'GroupsQuery', description: 'Groups of a type. Columns are SQL expressions; group_name is its name.' })
export type GroupsQuery = z.infer<typeof groupsQuerySchema>

export const personsNodeSchema = z
  .object({
    kind: z.literal('PersonsNode'),
    search: optional(z.string()),
    cohort: optional(z.int()),
    distinctId: optional(z.string()),
    properties: propertiesSchema,
    fixedProperties: propertiesSchema,
    ...page,
  })
  .meta({ id: 'PersonsNode', description: 'Persons of the project, as an ActorsQuery answers them.' })
export type PersonsNode = z.infer<typeof personsNodeSchema>

export const sessionsTimelineQuerySchema = z
  .object({
    kind: z.literal('SessionsTimelineQuery'),
    personId: optional(z.union([z.string(), z.int().transform(String)])),
    sessionId: optional(z.string()),
    after: dateFromSchema,
    before: dateToSchema,
  })
  .meta({ id: 'SessionsTimelineQuery', description: 'What a person did, session by session, newest first.' })
export type SessionsTimelineQuery = z.infer<typeof sessionsTimelineQuerySchema>

export const ATTRIBUTIONS = [
  'Channel',
  'ReferringDomain',
  'Source',
  'Medium',
  'Campaign',
  'AdIds',
  'InitialURL',
] as const
export const sessionAttributionExplorerQuerySchema = z
  .object({
    kind: z.literal('SessionAttributionExplorerQuery'),
    groupBy: z.array(z.enum(ATTRIBUTIONS)).max(ATTRIBUTIONS.length),
    filters: optional(z.object({ properties: propertiesSchema, dateRange: dateRangeSchema })),
    ...page,
  })
  .meta({
    id: 'SessionAttributionExplorerQuery',
    description: 'Where sessions came from: how many by channel, source, medium and so on, with examples of the rest.',
  })
export type SessionAttributionExplorerQuery = z.infer<typeof sessionAttributionExplorerQuerySchema>

export const taxonomyQuerySchema = z.discriminatedUnion('kind', [
  databaseSchemaQuerySchema,
  teamTaxonomyQuerySchema,
  eventTaxonomyQuerySchema,
  actorsPropertyTaxonomyQuerySchema,
  groupsQuerySchema,
  personsNodeSchema,
  sessionsTimelineQuerySchema,
  sessionAttributionExplorerQuerySchema,
])
export type TaxonomyQuery = z.infer<typeof taxonomyQuerySchema>
