import { z } from 'zod'
import { commonFields } from './common.ts'
import { intervalSchema } from './dates.ts'
import { texts } from './fields.ts'
import { seriesSchema } from './series.ts'

export const LIFECYCLE_STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const

export const lifecycleQuerySchema = z
  .object({
    kind: z.literal('LifecycleQuery'),
    ...commonFields,
    series: seriesSchema,
    interval: intervalSchema,
    lifecycleFilter: z
      .object({ toggledLifecycles: texts })
      .meta({ id: 'LifecycleFilter' })
      .nullish()
      .transform((value) => value ?? undefined),
  })
  .meta({ id: 'LifecycleQuery', description: 'Who is new, returns, comes back after a pause, or stops.' })
export type LifecycleQuery = z.infer<typeof lifecycleQuerySchema>
