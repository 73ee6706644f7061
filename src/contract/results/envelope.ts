/** What surrounds results: how fresh they are, what they cost, which range they are about. */
import { z } from 'zod'
import { zonedTime } from './parts.ts'
import type { Wire } from './wire.ts'

const timings = z.array(z.object({ k: z.string(), t: z.number() })).meta({ description: 'What took how many seconds.' })

export const explainedStatementSchema = z
  .object({
    sql: z.string(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    rows_read: z.number(),
    elapsed_ms: z.number(),
  })
  .meta({ id: 'ExplainedStatement' })
export type ExplainedStatement = Wire<typeof explainedStatementSchema>

const freshness = { is_cached: z.boolean(), last_refresh: z.iso.datetime().nullable() }

/** Of every answer to a query node. */
export const queryFields = {
  error: z.null(),
  hogql: z.string().nullable(),
  timezone: z.string(),
  ...freshness,
}

/** Of those that the engine answers with one or several statements. */
export const computedFields = { ...queryFields, modifiers: z.null(), query_status: z.null(), timings }

/** Of insights. `explain` when it is asked for. */
export const insightFields = {
  ...computedFields,
  no_hogql_reason: z.string().optional().meta({ description: 'Why `hogql`, the same question in SQL, is null.' }),
  resolved_date_range: z.object({ date_from: zonedTime, date_to: zonedTime }),
  explain: z.array(explainedStatementSchema).optional(),
}

/** Of the endpoints that are older than query nodes. */
export const legacyFields = {
  timezone: z.string(),
  ...freshness,
  query_method: z.literal('hogql'),
  timings,
  next: z.string().nullable().meta({ description: 'Where the next values of the breakdown are.' }),
  explain: z.array(explainedStatementSchema).optional(),
}
