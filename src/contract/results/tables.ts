/** Answers that are rows and columns: SQL, events, actors. */
import { z } from 'zod'
import { computedFields, explainedStatementSchema, queryFields } from './envelope.ts'
import type { Wire } from './wire.ts'

const rows = z.array(z.array(z.unknown()))
const page = { hasMore: z.boolean(), limit: z.int(), offset: z.int() }

export const sqlAnswerSchema = z
  .object({
    results: rows,
    columns: z.array(z.string()),
    types: z.array(z.tuple([z.string(), z.string()])).meta({ description: 'The name and the type of each column.' }),
    query: z.string(),
    explain: z.array(explainedStatementSchema).nullable(),
    metadata: z.null(),
    ...computedFields,
    ...z.object(page).partial().shape,
  })
  .meta({ id: 'HogQLQueryAnswer', description: 'The page is told when the query has no LIMIT of its own.' })
export type SqlAnswer = Wire<typeof sqlAnswerSchema>

export const eventsAnswerSchema = z
  .object({ results: rows, columns: z.array(z.string()), types: z.array(z.string()), ...page, ...computedFields })
  .meta({ id: 'EventsQueryAnswer' })
export type EventsAnswer = Wire<typeof eventsAnswerSchema>

export const actorsAnswerSchema = z
  .object({
    results: rows,
    columns: z.array(z.string()),
    types: z.array(z.literal('Dynamic')),
    ...page,
    missing_actors_count: z.int().meta({ description: 'Of whom nothing is known any more but the id.' }),
    ...queryFields,
  })
  .meta({ id: 'ActorsQueryAnswer' })
export type ActorsAnswer = Wire<typeof actorsAnswerSchema>

/** `recording` is how lists of recordings show one. */
export const recordingsAnswerOf = <T extends z.ZodType>(recording: T) =>
  z
    .object({
      results: z.array(recording),
      has_next: z.boolean(),
      next_cursor: z.null(),
      ...computedFields,
    })
    .meta({ id: 'RecordingsQueryAnswer' })
