/** Queries that are answered with rows and columns: SQL, and a table of events. */
import { z } from 'zod'
import { sentText } from '../fields.ts'
import { dateFromSchema, dateToSchema, intervalSchema } from './dates.ts'
import { flag, optional } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'

const constant = z.union([z.string(), z.number(), z.boolean(), z.null()])
const value = z.union([constant, z.array(constant)])

export const hogqlQuerySchema = z
  .object({
    kind: z.literal('HogQLQuery'),
    query: z.string(),
    /** What {filters} stands for in the query. */
    filters: optional(
      z.object({
        properties: propertiesSchema,
        dateRange: optional(z.object({ date_from: dateFromSchema, date_to: dateToSchema })),
        filterTestAccounts: flag,
        /** What {filters.interval} stands for, and {filters.interval(x)} rounds down to. */
        interval: optional(intervalSchema),
      }),
    ),
    /** What {name} stands for. */
    values: optional(z.record(z.string(), value)),
    /** What {variables.name} stands for, by any key. */
    variables: optional(
      z.record(z.string(), z.object({ code_name: z.string(), value: value.optional(), isNull: z.boolean().nullish() })),
    ),
  })
  .meta({ id: 'HogQLQuery', description: 'SQL over events, persons, groups and sessions of the project.' })
export type HogQLQuery = z.infer<typeof hogqlQuerySchema>

const texts = z.array(z.string()).max(200)

export const eventsQuerySchema = z
  .object({
    kind: z.literal('EventsQuery'),
    select: texts,
    where: optional(texts),
    properties: propertiesSchema,
    fixedProperties: propertiesSchema,
    filterTestAccounts: flag,
    event: optional(sentText),
    events: optional(texts),
    actionId: optional(z.coerce.number().int()),
    personId: optional(z.union([z.string(), z.int().transform(String)])),
    after: dateFromSchema,
    before: dateToSchema,
    orderBy: optional(texts),
    limit: optional(z.int().min(1)),
    offset: optional(z.int().min(0)),
  })
  .meta({
    id: 'EventsQuery',
    description:
      'A table of events. Columns are SQL expressions; "*", person and person_display_name are whole objects.',
  })
export type EventsQuery = z.infer<typeof eventsQuerySchema>
