/** What `query/` takes and answers beside answers. */
import { z } from 'zod'
import { describedAs } from '../described-as.ts'
import { errorSchema } from '../errors.ts'
import { querySchema } from '../queries/index.ts'
import { queryAnswerSchemas, queryStatusSchema, recordingsAnswerOf } from '../results/index.ts'
import { recordingSchema } from './recording.ts'

/**
 * A question that failed or was cancelled tells so by its status; what is wrong with the request itself is an error
 * like any other.
 */
export const failedQuerySchema = z.union([queryStatusSchema, errorSchema])

export const cancelledQuerySchema = z.object({ message: z.literal('Query cancelled') }).meta({ id: 'CancelledQuery' })

export const cancelledQuestionSchema = z
  .object({ success: z.literal(true), cancelled: z.boolean() })
  .meta({ id: 'CancelledQuestion' })

export const authForAsyncSchema = z.object({ user: z.literal('ok') }).meta({ id: 'AuthForAsync' })

export const draftSqlQuerySchema = z.object({ prompt: z.string().optional(), current_query: z.string().optional() })
export const draftSqlSchema = z.object({ sql: z.string() }).meta({ id: 'DraftSql' })

export const queryRequestSchema = z.object({
  query: describedAs(
    z.union([z.string(), z.record(z.string(), z.unknown())], 'A query is an object with a "kind".'),
    z.union([querySchema, z.string()]),
  ),
  refresh: z.union([z.string(), z.boolean()]).nullish(),
  async: z.boolean().nullish(),
  client_query_id: z
    .string()
    .regex(/^[\w.:-]{1,200}$/, 'Use letters, digits and -_.: only.')
    .nullish(),
  filters_override: z.record(z.string(), z.unknown()).nullish(),
})

/** `explain=sql` answers with the statements too. */
export const queryParametersSchema = z.looseObject({ explain: z.string().optional() })

/** The answer of each kind of query; whoever asked knows which it is. */
export const queryAnswerSchema = z
  .union([...Object.values(queryAnswerSchemas), recordingsAnswerOf(recordingSchema)])
  .meta({ id: 'QueryAnswer' })
