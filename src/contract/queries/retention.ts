import { z } from 'zod'
import { breakdownFilterSchema } from './breakdown.ts'
import { commonFields } from './common.ts'
import { definedElsewhere, flag, optional } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'
import type { EventsNode } from './series.ts'

const entity = z
  .object({
    id: optional(z.union([z.string(), z.number()])),
    type: optional(z.enum(['events', 'actions'])),
    kind: optional(z.string()),
    name: optional(z.string()),
    custom_name: optional(z.string()),
    order: optional(z.number()),
    properties: propertiesSchema,
    nodes: definedElsewhere<readonly EventsNode[]>(),
  })
  .meta({ id: 'RetentionEntity' })
  .nullish()
  .transform((value) => value ?? undefined)

export const retentionQuerySchema = z
  .object({
    kind: z.literal('RetentionQuery'),
    ...commonFields,
    breakdownFilter: breakdownFilterSchema,
    retentionFilter: z
      .object({
        retentionType: optional(
          z.enum(['retention_first_time', 'retention_recurring', 'retention_first_ever_occurrence']),
        ),
        period: optional(z.enum(['Hour', 'Day', 'Week', 'Month'])),
        totalIntervals: optional(z.number().int().min(1).max(100)),
        targetEntity: entity,
        returningEntity: entity,
        minimumOccurrences: optional(z.number().int().min(1)),
        cumulative: flag,
        timeWindowMode: optional(z.enum(['strict_calendar_dates', '24_hour_windows'])),
        /** How many intervals each cell after the first covers. */
        retentionCustomBrackets: optional(z.array(z.coerce.number().int().min(1)).max(100)),
        aggregationType: optional(z.string()),
      })
      .meta({ id: 'RetentionFilter' })
      .nullish()
      .transform((value) => value ?? undefined),
  })
  .meta({ id: 'RetentionQuery', description: 'Of those who came, how many came back.' })
export type RetentionQuery = z.infer<typeof retentionQuerySchema>
