/** The kinds of insights that have a date range and filters of their own. */
import { z } from 'zod'
import { funnelsQuerySchema } from './funnels.ts'
import { lifecycleQuerySchema } from './lifecycle.ts'
import { pathsQuerySchema } from './paths.ts'
import { retentionQuerySchema } from './retention.ts'
import { stickinessQuerySchema } from './stickiness.ts'
import { trendsQuerySchema } from './trends.ts'

export const insightQuerySchema = z
  .discriminatedUnion('kind', [
    trendsQuerySchema,
    funnelsQuerySchema,
    retentionQuerySchema,
    lifecycleQuerySchema,
    stickinessQuerySchema,
    pathsQuerySchema,
  ])
  .meta({ id: 'InsightQuery' })
export type InsightQuery = z.infer<typeof insightQuerySchema>
