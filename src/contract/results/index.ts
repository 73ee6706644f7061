export {
  type InsightAnswered,
  type InsightAnswers,
  type InsightKind,
  type InsightResults,
  insightAnswerSchemas,
  type LegacyAnswers,
  legacyAnswerSchema,
  legacyAnswerSchemas,
  type QueryAnswers,
  queryAnswerSchemas,
} from './answers.ts'
export { type ChainElement, type Correlation, type CorrelationResult, correlationResultSchema } from './correlation.ts'
export { type ExplainedStatement, explainedStatementSchema } from './envelope.ts'
export {
  type FunnelStep,
  type FunnelStepsResult,
  type FunnelsResult,
  type FunnelTimes,
  type FunnelTimesResult,
  type FunnelTrend,
  type FunnelTrendsResult,
  funnelStepSchema,
  funnelsResultSchema,
  funnelTimesSchema,
  funnelTrendSchema,
} from './funnels.ts'
export {
  type LegacyRetentionRow,
  type LifecycleResult,
  type LifecycleSeries,
  lifecycleResultSchema,
  type PathEdge,
  type PathsResult,
  pathsResultSchema,
  type RetentionResult,
  type RetentionRow,
  retentionResultSchema,
  type StickinessResult,
  type StickinessSeries,
  stickinessResultSchema,
} from './others.ts'
export type { PeriodLabel, PersonsUrl, PropertiesAnswer, PropertyGroupAnswer, PropertyItemAnswer } from './parts.ts'
export { type ActorBehind, type InsightPeople, insightPeopleSchema } from './people.ts'
export { type QueryStatus, queryStatusSchema } from './status.ts'
export {
  type ActorsAnswer,
  actorsAnswerSchema,
  type EventsAnswer,
  eventsAnswerSchema,
  recordingsAnswerOf,
  type SqlAnswer,
  sqlAnswerSchema,
} from './tables.ts'
export { type DatabaseField, type DatabaseTable, type TaxonomyAnswers, taxonomyAnswerSchemas } from './taxonomy.ts'
export { type TrendSeries, type TrendsResult, trendSeriesSchema, trendsResultSchema } from './trends.ts'
export {
  type HiddenBots,
  type WebAnswers,
  type WebOverviewItem,
  type WebRow,
  type WebTrendsItem,
  webAnswerSchemas,
} from './web.ts'
export type { Wire } from './wire.ts'
