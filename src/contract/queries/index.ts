export {
  type ActorsQuery,
  type ActorsSource,
  actorsQuerySchema,
  actorsSourceSchema,
  type FunnelCorrelationActorsQuery,
  type FunnelCorrelationQuery,
  type FunnelsActorsQuery,
  funnelCorrelationActorsQuerySchema,
  funnelCorrelationQuerySchema,
  funnelsActorsQuerySchema,
  type InsightActorsQuery,
  insightActorsQuerySchema,
  stickinessActorsQuerySchema,
} from './actors.ts'
export { type BreakdownFilter, type BreakdownType, breakdownFilterSchema, compareFilterSchema } from './breakdown.ts'
export type { Bots } from './common.ts'
export {
  type DateRangeInput,
  dateFromSchema,
  dateRangeSchema,
  dateToSchema,
  type Interval,
  intervalSchema,
} from './dates.ts'
export {
  type ExperimentExposureQuery,
  type ExperimentMetric,
  type ExperimentQuery,
  experimentMetricSchema,
} from './experiments.ts'
export { type FunnelsQuery, funnelsQuerySchema } from './funnels.ts'
export { type InsightQuery, insightQuerySchema } from './insight.ts'
export { type LifecycleQuery, lifecycleQuerySchema } from './lifecycle.ts'
export { type PathsQuery, pathsQuerySchema } from './paths.ts'
export {
  allOf,
  NO_FILTERS,
  type Operator,
  type PropertyFilter,
  type PropertyFilterInput,
  type PropertyGroup,
  placeOf,
  propertiesSchema,
  propertyFilterForms,
  readProperties,
  rememberPlace,
  rememberPlaces,
  type SemverOperator,
  shown,
} from './property-filters.ts'
export { QUERY_KINDS, type Query, type QueryKind, querySchema } from './query.ts'
export {
  NOT_RECORDING_FILTERS,
  notARecordingFilter,
  RECORDING_FILTERS,
  type RecordingsQuery,
  recordingFilterFields,
  recordingsQuerySchema,
} from './recordings.ts'
export { type RetentionQuery, retentionQuerySchema } from './retention.ts'
export {
  actionsNodeSchema,
  type EventsNode,
  eventsNodeSchema,
  PROPERTY_MATHS,
  type SeriesMath,
  type SeriesNode,
  seriesNodeSchema,
} from './series.ts'
export { type StickinessQuery, stickinessQuerySchema } from './stickiness.ts'
export { type EventsQuery, eventsQuerySchema, type HogQLQuery, hogqlQuerySchema } from './tables.ts'
export {
  type ActorsPropertyTaxonomyQuery,
  type EventTaxonomyQuery,
  type GroupsQuery,
  type PersonsNode,
  type SessionAttributionExplorerQuery,
  type SessionsTimelineQuery,
  type TaxonomyQuery,
  type TeamTaxonomyQuery,
  taxonomyQuerySchema,
} from './taxonomy.ts'
export { type Display, type TrendsQuery, trendsQuerySchema } from './trends.ts'
export { type QueryNode, queryNodeSchema, type ViewNode, viewNodeSchema } from './views.ts'
export {
  WEB_BREAKDOWNS,
  WEB_METRICS,
  type WebBreakdown,
  type WebExternalClicksTableQuery,
  type WebGoal,
  type WebGoalsQuery,
  type WebMetric,
  type WebOrder,
  type WebOverviewQuery,
  type WebQuery,
  type WebQueryKind,
  type WebStatsTableQuery,
  type WebTrendsQuery,
  type WebVital,
  type WebVitalsPathBreakdownQuery,
  type WebVitalsQuery,
  webQuerySchema,
} from './web.ts'
export {
  asBoolean,
  asFields,
  asList,
  asNumber,
  decoded,
  type Fields,
  isFields,
  unlessEmpty,
  withoutEmpty,
} from './wire-values.ts'
