export { type Actor, type ActorsAnswer, personsBehind, runActors } from './actors/run.ts'
export type { InsightContext, InsightProject, RunOptions } from './context.ts'
export { type ActionStep, actionStep, nodeOfStep } from './definitions/action.ts'
export { type Cohort, type Criteria, NOBODY, readCriteria, readGroups } from './definitions/cohort.ts'
export {
  cohortMembers,
  cohortSize,
  cohortsOfPerson,
  refuseBadPatterns,
  tryCohort,
} from './definitions/members.ts'
export type { Asked } from './engine.ts'
export { type EventSource, eventsWith } from './events-with.ts'
export { timesToConvert } from './funnels/times-query.ts'
export { draftSql, starterSql } from './hogql/draft.ts'
export { type EventsQuery as EventsTableQuery, runEventsQuery } from './hogql/events-query.ts'
export type { Constant } from './hogql/placeholders.ts'
export { runSql, type SqlContext, type SqlRequest, type SqlResult } from './hogql/run.ts'
export { isInsightKind } from './kinds.ts'
export { openInsightContext } from './open-context.ts'
export { actorsNodeOfLegacyFilter } from './parse/legacy-actors.ts'
export { correlationActorsOfLegacyFilter, correlationOfLegacyFilter } from './parse/legacy-correlation.ts'
export { legacyFilterFields, nodeOfLegacyFilter } from './parse/legacy-filter.ts'
export { withOverride } from './parse/override.ts'
export { allOf, type PropertyFilter, type PropertyGroup, readProperties } from './parse/property-filters.ts'
export type * from './parse/query-schema.ts'
export { dataNodeOf, readQuery } from './parse/read-query.ts'
export { DEFAULT_BREAKDOWN_LIMIT } from './plan/breakdown.ts'
export { type DateOperator, dateBounds } from './plan/date-bounds.ts'
export { momentOf } from './plan/moment-of.ts'
export { testAccountFilters } from './plan/plan.ts'
export { VERSION, VERSION_NUMBERS, type VersionTest, versionTests } from './plan/semver.ts'
export { type PropertiesTimeline, propertiesTimeline } from './properties-timeline.ts'
export { ResultCache } from './result-cache.ts'
export { type InsightAnswer, type InsightResult, runInsight } from './run.ts'
export {
  changeTiles,
  createDashboard,
  createInsight,
  type Dashboard,
  findDashboard,
  findInsight,
  INSIGHT_ORDERS,
  type InsightOrder,
  insightsById,
  keepTiming,
  lastViewed,
  listDashboards,
  listInsights,
  noteCount,
  noteViews,
  placeInsight,
  type SavedAction,
  type SavedCohort,
  type SavedInsight,
  savedActions,
  savedCohorts,
  type Tile,
  tilesOf,
  tilesOfInsights,
  updateDashboard,
  updateInsight,
} from './saved/index.ts'
export { type EventCriterion, type SessionFinder, sessionFinder } from './sessions-with.ts'
export { nextOffset, type TrendSeries, type TrendsResult } from './trends/result.ts'
export type { CorrelationSubject } from './wire/correlation.ts'
export { csvRowsOf, csvText } from './wire/csv.ts'
export type { CsvCell, CsvRow } from './wire/csv-row.ts'
export { type EnvelopeOptions, legacyEnvelope, queryEnvelope, resultOnWire } from './wire/envelope.ts'
export type { Links } from './wire/links.ts'
export { sqlEnvelope, tableEnvelope } from './wire/sql.ts'
