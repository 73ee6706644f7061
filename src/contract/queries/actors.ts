/**
 * Who stands behind a number of an insight: nodes that say which number is meant, and the list of persons around them.
 */
import { z } from 'zod'
import { breakdownValueSchema } from './breakdown.ts'
import { flag, optional, texts } from './fields.ts'
import { funnelsQuerySchema } from './funnels.ts'
import { insightQuerySchema } from './insight.ts'
import { LIFECYCLE_STATUSES } from './lifecycle.ts'
import { propertiesSchema } from './property-filters.ts'
import { actionsNodeSchema, eventsNodeSchema, groupNodeSchema } from './series.ts'
import { comparisonSchema, stickinessQuerySchema } from './stickiness.ts'
import { hogqlQuerySchema } from './tables.ts'

const day = optional(z.union([z.string(), z.number()]))
const compare = optional(z.enum(['current', 'previous']))
const count = optional(z.number().int().min(0))

export const insightActorsQuerySchema = z
  .object({
    kind: z.literal('InsightActorsQuery'),
    source: insightQuerySchema,
    day,
    series: count,
    breakdown: optional(breakdownValueSchema),
    compare,
    status: optional(z.enum(LIFECYCLE_STATUSES)),
    interval: count,
    includeRecordings: flag,
  })
  .meta({ id: 'InsightActorsQuery' })
export type InsightActorsQuery = z.infer<typeof insightActorsQuerySchema>

export const stickinessActorsQuerySchema = z
  .object({
    kind: z.literal('StickinessActorsQuery'),
    source: stickinessQuerySchema,
    operator: optional(comparisonSchema),
    day,
    series: count,
    compare,
    includeRecordings: flag,
  })
  .meta({ id: 'StickinessActorsQuery' })

export const funnelsActorsQuerySchema = z
  .object({
    kind: z.literal('FunnelsActorsQuery'),
    source: funnelsQuerySchema,
    funnelStep: optional(z.number().int()),
    funnelCustomSteps: optional(z.array(z.number().int())),
    funnelStepBreakdown: optional(breakdownValueSchema),
    funnelTrendsDropOff: optional(z.boolean()),
    funnelTrendsEntrancePeriodStart: optional(z.string()),
    compare,
    includeRecordings: flag,
  })
  .meta({ id: 'FunnelsActorsQuery' })
export type FunnelsActorsQuery = z.infer<typeof funnelsActorsQuerySchema>

export const funnelCorrelationQuerySchema = z
  .object({
    kind: z.literal('FunnelCorrelationQuery'),
    source: funnelsActorsQuerySchema,
    funnelCorrelationType: z.enum(['events', 'properties', 'event_with_properties']),
    funnelCorrelationExcludeEventNames: texts,
    funnelCorrelationEventNames: texts,
    funnelCorrelationEventExcludePropertyNames: texts,
    funnelCorrelationNames: texts,
    funnelCorrelationExcludeNames: texts,
  })
  .meta({
    id: 'FunnelCorrelationQuery',
    description: 'Which events or properties go with getting through a funnel.',
  })
export type FunnelCorrelationQuery = z.infer<typeof funnelCorrelationQuerySchema>

export const funnelCorrelationActorsQuerySchema = z
  .object({
    kind: z.literal('FunnelCorrelationActorsQuery'),
    source: funnelCorrelationQuerySchema,
    funnelCorrelationPersonConverted: optional(z.boolean()),
    funnelCorrelationPersonEntity: optional(
      z.discriminatedUnion('kind', [eventsNodeSchema, actionsNodeSchema, groupNodeSchema]),
    ),
    funnelCorrelationPropertyValues: propertiesSchema,
    includeRecordings: flag,
  })
  .meta({ id: 'FunnelCorrelationActorsQuery' })
export type FunnelCorrelationActorsQuery = z.infer<typeof funnelCorrelationActorsQuerySchema>

export const actorsSourceSchema = z
  .discriminatedUnion('kind', [
    insightActorsQuerySchema,
    stickinessActorsQuerySchema,
    funnelsActorsQuerySchema,
    funnelCorrelationActorsQuerySchema,
  ])
  .meta({ id: 'ActorsSource' })
export type ActorsSource = z.infer<typeof actorsSourceSchema>

export const actorsQuerySchema = z
  .object({
    kind: z.literal('ActorsQuery'),
    source: optional(z.discriminatedUnion('kind', [...actorsSourceSchema.options, hogqlQuerySchema])),
    select: texts,
    search: optional(z.string()),
    properties: propertiesSchema,
    fixedProperties: propertiesSchema,
    orderBy: texts,
    limit: count,
    offset: count,
  })
  .meta({ id: 'ActorsQuery', description: 'Persons or groups: those behind a number, or all of the project.' })
export type ActorsQuery = z.infer<typeof actorsQuerySchema>
