import { z } from 'zod'
import { errorSchema } from '../errors.ts'
import { queryStatusSchema } from '../results/index.ts'

/** A question that failed or was cancelled tells so by its status; what is wrong with the request itself is an error like any other. */
export const failedQuerySchema = z.union([queryStatusSchema, errorSchema])

export const cancelledQuerySchema = z.object({ message: z.literal('Query cancelled') }).meta({ id: 'CancelledQuery' })

export const cancelledQuestionSchema = z
  .object({ success: z.literal(true), cancelled: z.boolean() })
  .meta({ id: 'CancelledQuestion' })

export const authForAsyncSchema = z.object({ user: z.literal('ok') }).meta({ id: 'AuthForAsync' })

export const draftSqlQuerySchema = z.object({ prompt: z.string().optional(), current_query: z.string().optional() })
export const draftSqlSchema = z.object({ sql: z.string() }).meta({ id: 'DraftSql' })
