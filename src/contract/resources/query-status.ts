import { z } from 'zod'
import { anyJson, dateTime, id } from '../answer-fields.ts'
import { errorSchema } from '../errors.ts'

/** How far a question is that is answered later; `results` is its answer once there is one. */
export const queryStatusSchema = z
  .object({
    query_status: z.object({
      id: z.string(),
      team_id: id,
      query_async: z.literal(true),
      complete: z.boolean(),
      error: z.boolean(),
      error_message: z.string().nullable(),
      start_time: dateTime,
      pickup_time: dateTime,
      end_time: dateTime.nullable(),
      expiration_time: dateTime,
      results: anyJson,
      task_id: z.null(),
      insight_id: z.null(),
      dashboard_id: z.null(),
      query_progress: z.null(),
      labels: z.null(),
    }),
  })
  .meta({ id: 'QueryStatus' })
export type QueryStatus = z.infer<typeof queryStatusSchema>

/** A question that failed or was cancelled tells so by its status; what is wrong with the request itself is an error like any other. */
export const failedQuerySchema = z.union([queryStatusSchema, errorSchema])

export const cancelledQuerySchema = z.object({ message: z.literal('Query cancelled') }).meta({ id: 'CancelledQuery' })

export const cancelledQuestionSchema = z
  .object({ success: z.literal(true), cancelled: z.boolean() })
  .meta({ id: 'CancelledQuestion' })

export const authForAsyncSchema = z.object({ user: z.literal('ok') }).meta({ id: 'AuthForAsync' })

export const draftSqlQuerySchema = z.object({ prompt: z.string().optional(), current_query: z.string().optional() })
export const draftSqlSchema = z.object({ sql: z.string() }).meta({ id: 'DraftSql' })
