/** The state of a query that is answered later. */
import { z } from 'zod'
import type { Wire } from './wire.ts'

export const queryStatusSchema = z
  .object({
    query_status: z.object({
      id: z.string(),
      team_id: z.int(),
      query_async: z.literal(true),
      complete: z.boolean(),
      error: z.boolean(),
      error_message: z.string().nullable(),
      start_time: z.iso.datetime(),
      pickup_time: z.iso.datetime(),
      end_time: z.iso.datetime().nullable(),
      expiration_time: z.iso.datetime(),
      results: z.unknown().meta({ description: 'The answer of the query, once it is complete.' }),
      task_id: z.null(),
      insight_id: z.null(),
      dashboard_id: z.null(),
      query_progress: z.null(),
      labels: z.null(),
    }),
  })
  .meta({ id: 'QueryStatus' })
export type QueryStatus = Wire<typeof queryStatusSchema>
