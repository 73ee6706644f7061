/** Every kind of question, as one typed union. */
import { z } from 'zod'
import { propertiesSchema } from './property-filters.ts'
import {
  actionsNodeSchema,
  breakdownFilterSchema,
  commonFields,
  compareFilterSchema,
  dateFromSchema,
  dateToSchema,
  definedElsewhere,
  type EventsNode,
  eventsNodeSchema,
  flag,
  groupNodeSchema,
  intervalSchema,
  optional,
  seriesNodeSchema,
} from './shared-schema.ts'

const DISPLAYS = [
  'Auto',
  'ActionsLineGraph',
  'ActionsBar',
  'ActionsUnstackedBar',
  'ActionsStackedBar',
  'ActionsAreaGraph',
  'ActionsLineGraphCumulative',
  'BoldNumber',
  'Metric',
  'ActionsPie',
  'ActionsDonut',
  'ActionsBarValue',
  'ActionsTable',
  'WorldMap',
  'CalendarHeatmap',
  'TwoDimensionalHeatmap',
  'BoxPlot',
  'SlopeGraph',
  'ScatterPlot',
] as const
export type Display = (typeof DISPLAYS)[number]

/** An unknown display draws the default, as upstream does. */
const display = z
  .unknown()
  .optional()
  .transform((value): Display => DISPLAYS.find((known) => known === value) ?? 'ActionsLineGraph')

/** More than anybody reads; each costs a part of a statement, and an engine takes only so long a one. */
const MOST_SERIES = 100
const series = z
  .array(seriesNodeSchema)
  .max(MOST_SERIES, `A question has at most ${MOST_SERIES} series: ask the others separately.`)
const step = z.number().int().min(0)

const trendsQuerySchema = z.object({
  kind: z.literal('TrendsQuery'),
  ...commonFields,
  series,
  interval: intervalSchema,
  trendsFilter: z
    .object({
      display,
      smoothingIntervals: optional(z.number().int().min(1)),
      formula: optional(z.string()),
      formulas: optional(z.array(z.string())),
      formulaNodes: optional(z.array(z.object({ formula: z.string(), custom_name: optional(z.string()) }))),
      compare: flag,
      breakdown_histogram_bin_count: optional(z.number().int().min(1).max(1000)),
    })
    .nullish()
    .transform((value) => value ?? undefined),
  breakdownFilter: breakdownFilterSchema,
  compareFilter: compareFilterSchema,
})

const windowUnit = z.enum(['second', 'minute', 'hour', 'day', 'week', 'month'])
const exclusion = { funnelFromStep: step, funnelToStep: step }
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
  .nullish()
  .transform((value) => value ?? undefined)

export const funnelsQuerySchema = z.object({
  kind: z.literal('FunnelsQuery'),
  ...commonFields,
  series,
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
        .array(z.discriminatedUnion('kind', [eventsNodeSchema.extend(exclusion), actionsNodeSchema.extend(exclusion)]))
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
    .nullish()
    .transform((value) => value ?? undefined),
})

const retentionQuerySchema = z.object({
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
    .nullish()
    .transform((value) => value ?? undefined),
})

const lifecycleQuerySchema = z.object({
  kind: z.literal('LifecycleQuery'),
  ...commonFields,
  series,
  interval: intervalSchema,
  lifecycleFilter: z
    .object({ toggledLifecycles: optional(z.array(z.string())) })
    .nullish()
    .transform((value) => value ?? undefined),
})

const stickinessQuerySchema = z.object({
  kind: z.literal('StickinessQuery'),
  ...commonFields,
  series,
  interval: intervalSchema,
  intervalCount: optional(z.number().int().min(1)),
  compareFilter: compareFilterSchema,
  stickinessFilter: z
    .object({
      computedAs: optional(z.enum(['non_cumulative', 'cumulative'])),
      stickinessCriteria: optional(
        z.object({ operator: z.enum(['gte', 'lte', 'exact']), value: z.number().int().min(1) }),
      ),
      compare: flag,
    })
    .nullish()
    .transform((value) => value ?? undefined),
})

const texts = optional(z.array(z.string()))
const pathsQuerySchema = z.object({
  kind: z.literal('PathsQuery'),
  ...commonFields,
  pathsFilter: z
    .object({
      includeEventTypes: optional(z.array(z.enum(['$pageview', '$screen', 'custom_event', 'hogql']))),
      pathsHogQLExpression: optional(z.string()),
      startPoint: optional(z.string()),
      endPoint: optional(z.string()),
      stepLimit: optional(z.number().int().min(2).max(20)),
      edgeLimit: optional(z.number().int().min(1)),
      minEdgeWeight: optional(z.number().int()),
      maxEdgeWeight: optional(z.number().int()),
      excludeEvents: texts,
      pathGroupings: texts,
      localPathCleaningFilters: optional(
        z.array(z.object({ alias: optional(z.string()), regex: optional(z.string()), order: optional(z.number()) })),
      ),
      pathStartKey: optional(z.string()),
      pathEndKey: optional(z.string()),
      pathDropoffKey: optional(z.string()),
    })
    .nullish()
    .transform((value) => value ?? undefined),
  funnelPathsFilter: optional(
    z.object({
      funnelPathType: z.enum(['funnel_path_before_step', 'funnel_path_between_steps', 'funnel_path_after_step']),
      funnelSource: funnelsQuerySchema,
      funnelStep: optional(z.number().int()),
    }),
  ),
})

const insightQuerySchema = z.discriminatedUnion('kind', [
  trendsQuerySchema,
  funnelsQuerySchema,
  retentionQuerySchema,
  lifecycleQuerySchema,
  stickinessQuerySchema,
  pathsQuerySchema,
])

const breakdownValue = z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))])

const insightActorsQuerySchema = z.object({
  kind: z.literal('InsightActorsQuery'),
  source: insightQuerySchema,
  day: optional(z.union([z.string(), z.number()])),
  series: optional(z.number().int().min(0)),
  breakdown: optional(breakdownValue),
  compare: optional(z.enum(['current', 'previous'])),
  status: optional(z.enum(['new', 'returning', 'resurrecting', 'dormant'])),
  interval: optional(z.number().int().min(0)),
  includeRecordings: flag,
})

const stickinessActorsQuerySchema = z.object({
  kind: z.literal('StickinessActorsQuery'),
  source: stickinessQuerySchema,
  operator: optional(z.enum(['gte', 'lte', 'exact'])),
  day: optional(z.union([z.string(), z.number()])),
  series: optional(z.number().int().min(0)),
  compare: optional(z.enum(['current', 'previous'])),
  includeRecordings: flag,
})

export const funnelsActorsQuerySchema = z.object({
  kind: z.literal('FunnelsActorsQuery'),
  source: funnelsQuerySchema,
  funnelStep: optional(z.number().int()),
  funnelCustomSteps: optional(z.array(z.number().int())),
  funnelStepBreakdown: optional(breakdownValue),
  funnelTrendsDropOff: optional(z.boolean()),
  funnelTrendsEntrancePeriodStart: optional(z.string()),
  compare: optional(z.enum(['current', 'previous'])),
  includeRecordings: flag,
})

const funnelCorrelationQuerySchema = z.object({
  kind: z.literal('FunnelCorrelationQuery'),
  source: funnelsActorsQuerySchema,
  funnelCorrelationType: z.enum(['events', 'properties', 'event_with_properties']),
  funnelCorrelationExcludeEventNames: texts,
  funnelCorrelationEventNames: texts,
  funnelCorrelationEventExcludePropertyNames: texts,
  funnelCorrelationNames: texts,
  funnelCorrelationExcludeNames: texts,
})

const funnelCorrelationActorsQuerySchema = z.object({
  kind: z.literal('FunnelCorrelationActorsQuery'),
  source: funnelCorrelationQuerySchema,
  funnelCorrelationPersonConverted: optional(z.boolean()),
  funnelCorrelationPersonEntity: optional(
    z.discriminatedUnion('kind', [eventsNodeSchema, actionsNodeSchema, groupNodeSchema]),
  ),
  funnelCorrelationPropertyValues: propertiesSchema,
  includeRecordings: flag,
})

const actorsSourceSchema = z.discriminatedUnion('kind', [
  insightActorsQuerySchema,
  stickinessActorsQuerySchema,
  funnelsActorsQuerySchema,
  funnelCorrelationActorsQuerySchema,
])

const paging = { limit: optional(z.number().int().min(0)), offset: optional(z.number().int().min(0)) }

const actorsQuerySchema = z.object({
  kind: z.literal('ActorsQuery'),
  source: optional(actorsSourceSchema),
  select: texts,
  search: optional(z.string()),
  properties: propertiesSchema,
  fixedProperties: propertiesSchema,
  orderBy: texts,
  ...paging,
})

const eventsQuerySchema = z.object({
  kind: z.literal('EventsQuery'),
  select: z.array(z.string()).default([]),
  where: texts,
  properties: propertiesSchema,
  fixedProperties: propertiesSchema,
  filterTestAccounts: flag,
  event: optional(z.string()),
  events: texts,
  actionId: optional(z.coerce.number().int()),
  personId: optional(z.string()),
  before: dateToSchema,
  after: dateFromSchema,
  orderBy: texts,
  ...paging,
})

const hogqlQuerySchema = z.object({
  kind: z.literal('HogQLQuery'),
  query: z.string(),
  filters: optional(
    z.object({
      properties: propertiesSchema,
      dateRange: commonFields.dateRange,
      filterTestAccounts: flag,
    }),
  ),
  values: optional(z.record(z.string(), z.unknown())),
  variables: optional(z.record(z.string(), z.unknown())),
})

export const querySchema = z.discriminatedUnion('kind', [
  ...insightQuerySchema.options,
  ...actorsSourceSchema.options,
  funnelCorrelationQuerySchema,
  actorsQuerySchema,
  eventsQuerySchema,
  hogqlQuerySchema,
])

export type TrendsQuery = z.infer<typeof trendsQuerySchema>
export type FunnelsQuery = z.infer<typeof funnelsQuerySchema>
export type RetentionQuery = z.infer<typeof retentionQuerySchema>
export type LifecycleQuery = z.infer<typeof lifecycleQuerySchema>
export type StickinessQuery = z.infer<typeof stickinessQuerySchema>
export type PathsQuery = z.infer<typeof pathsQuerySchema>
export type InsightQuery = z.infer<typeof insightQuerySchema>
export type InsightActorsQuery = z.infer<typeof insightActorsQuerySchema>
export type FunnelsActorsQuery = z.infer<typeof funnelsActorsQuerySchema>
export type FunnelCorrelationQuery = z.infer<typeof funnelCorrelationQuerySchema>
export type FunnelCorrelationActorsQuery = z.infer<typeof funnelCorrelationActorsQuerySchema>
export type ActorsSource = z.infer<typeof actorsSourceSchema>
export type ActorsQuery = z.infer<typeof actorsQuerySchema>
export type Query = z.infer<typeof querySchema>
