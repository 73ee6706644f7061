export { type Actor, type ActorsAnswer, personsBehind, runActors } from './actors/run.ts'
export type { InsightContext } from './context.ts'
export { actionStep, nodeOfStep } from './definitions/action.ts'
export { type Criteria, readCriteria, readGroups } from './definitions/cohort.ts'
export {
  cohortMembers,
  cohortSize,
  cohortsOfPerson,
  refuseBadPatterns,
  tryCohort,
} from './definitions/members.ts'
export { eventsWith } from './events-with.ts'
export { timesToConvert } from './funnels/times-query.ts'
export { draftSql, starterSql } from './hogql/draft.ts'
export { runEventsQuery } from './hogql/events-query.ts'
export { runSql, type SqlContext } from './hogql/run.ts'
export { isInsightKind } from './kinds.ts'
export { openInsightContext } from './open-context.ts'
export { actorsNodeOfLegacyFilter } from './parse/legacy-actors.ts'
export { correlationActorsOfLegacyFilter, correlationOfLegacyFilter } from './parse/legacy-correlation.ts'
export { nodeOfLegacyFilter, placesOfLegacyFilter } from './parse/legacy-filter.ts'
export type { Path, Place } from './parse/legacy-places.ts'
export { withOverride, wrongInOverride } from './parse/override.ts'
export { dataNodeIn, dataNodeOf, innermost, readQuery } from './parse/read-query.ts'
export { type DateOperator, dateBounds } from './plan/date-bounds.ts'
export { momentOf, refuseCrossed } from './plan/moment-of.ts'
export { testAccountFilters } from './plan/plan.ts'
export { notAPattern, patternsIn } from './plan/regexes.ts'
export { VERSION, VERSION_NUMBERS, type VersionTest, versionTests } from './plan/semver.ts'
export { propertiesTimeline } from './properties-timeline.ts'
export { ResultCache } from './result-cache.ts'
export { runInsight } from './run.ts'
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
export { nextOffset } from './trends/result.ts'
export type { CorrelationSubject } from './wire/correlation.ts'
export { csvRowsOf, csvText } from './wire/csv.ts'
export type { CsvCell, CsvRow } from './wire/csv-row.ts'
export { legacyEnvelope, queryEnvelope, resultOnWire } from './wire/envelope.ts'
export type { Links } from './wire/links.ts'
export { sqlEnvelope, tableEnvelope } from './wire/sql.ts'
