import { z } from 'zod'
import { breakdownFilterSchema, compareFilterSchema } from './breakdown.ts'
import { commonFields } from './common.ts'
import { intervalSchema } from './dates.ts'
import { flag, optional } from './fields.ts'
import { actionsNodeSchema, eventsNodeSchema, seriesSchema } from './series.ts'

const windowUnit = z.enum(['second', 'minute', 'hour', 'day', 'week', 'month'])
const step = z.number().int().min(0)
const exclusion = { funnelFromStep: step, funnelToStep: step }

export const funnelsQuerySchema = z
  .object({
    kind: z.literal('FunnelsQuery'),
    ...commonFields,
    series: seriesSchema,
    interval: intervalSchema,
    breakdownFilter: breakdownFilterSchema,
    compareFilter: compareFilterSchema,
    funnelsFilter: z
      .object({
        funnelVizType: optional(z.enum(['steps', 'time_to_convert', 'trends', 'flow'])),
        funnelOrderType: optional(z.enum(['ordered', 'strict', 'unordered'])),
        funnelWindowInterval: optional(z.number().positive()),
        funnelWindowIntervalUnit: optional(windowUnit),
        funnelFromStep: optional(step),
        funnelToStep: optional(step),
        binCount: optional(z.union([z.number().int(), z.literal('auto')])),
        exclusions: z
          .array(
            z.discriminatedUnion('kind', [eventsNodeSchema.extend(exclusion), actionsNodeSchema.extend(exclusion)]),
          )
          .nullish()
          .transform((value) => value ?? []),
        breakdownAttributionType: optional(z.enum(['first_touch', 'last_touch', 'all_events', 'step'])),
        breakdownAttributionValue: optional(step),
        funnelAggregateByHogQL: optional(z.string()),
        funnelStepReference: optional(z.enum(['total', 'previous'])),
        hideIncompleteConversionWindowPeriods: flag,
        /** Ours: properties whose value must be the same in every step of a conversion. */
        holdConstant: optional(z.union([z.array(z.string()), z.string().transform((name) => [name])])),
      })
      .meta({ id: 'FunnelsFilter' })
      .nullish()
      .transform((value) => value ?? undefined),
  })
  .meta({ id: 'FunnelsQuery', description: 'How many get from step to step, and how long it takes them.' })
export type FunnelsQuery = z.infer<typeof funnelsQuerySchema>
