import { z } from 'zod'
import { compareFilterSchema } from './breakdown.ts'
import { commonFields } from './common.ts'
import { intervalSchema } from './dates.ts'
import { flag, optional } from './fields.ts'
import { seriesSchema } from './series.ts'

export const comparisonSchema = z.enum(['gte', 'lte', 'exact'])

export const stickinessQuerySchema = z
  .object({
    kind: z.literal('StickinessQuery'),
    ...commonFields,
    series: seriesSchema,
    interval: intervalSchema,
    intervalCount: optional(z.number().int().min(1)),
    compareFilter: compareFilterSchema,
    stickinessFilter: z
      .object({
        computedAs: optional(z.enum(['non_cumulative', 'cumulative'])),
        stickinessCriteria: optional(z.object({ operator: comparisonSchema, value: z.number().int().min(1) })),
        compare: flag,
      })
      .meta({ id: 'StickinessFilter' })
      .nullish()
      .transform((value) => value ?? undefined),
  })
  .meta({ id: 'StickinessQuery', description: 'On how many days (or other intervals) people did something.' })
export type StickinessQuery = z.infer<typeof stickinessQuerySchema>
