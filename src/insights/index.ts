export { actionStep, nodeOfStep } from './definitions/action.ts'
export { type Criteria, readCriteria, readGroups } from './definitions/cohort.ts'
export {
  cohortMemberKeys,
  cohortMembers,
  cohortSize,
  cohortsOfPerson,
  memberKeyOf,
  membershipsOf,
  refuseBadPatterns,
  tryCohort,
} from './definitions/members.ts'
export { refusePattern } from './facts/check-patterns.ts'
export type { InsightContext } from './facts/context.ts'
export { openInsightContext } from './facts/open-context.ts'
export { eventsWith } from './finders/events-with.ts'
export { propertiesTimeline } from './finders/properties-timeline.ts'
export { type EventCriterion, type SessionFinder, sessionFinder } from './finders/sessions-with.ts'
export { draftSql, starterSql } from './hogql/draft.ts'
export { isSummed } from './hogql/summed.ts'
export type { CorrelationSubject } from './kinds/correlation/wire.ts'
export { runEventsQuery } from './kinds/events/run.ts'
export { type ExperimentSetup, runExperiment, runExposures } from './kinds/experiments/run.ts'
export { MULTIPLE } from './kinds/experiments/statement.ts'
export { sampleRatioP } from './kinds/experiments/statistics.ts'
export { timesToConvert } from './kinds/funnels/times-query.ts'
export { runSql } from './kinds/sql/run.ts'
export { sqlEnvelope, tableEnvelope } from './kinds/sql/wire.ts'
export { isInsightKind } from './kinds/table.ts'
export { nextOffset } from './kinds/trends/result.ts'
export {
  isAnsweredHere,
  isWebQuery,
  runWeb,
  vitalsTrend,
  type WebAnswer,
  webEnvelope,
  webTogether,
} from './kinds/web/run.ts'
export { actorsNodeOfLegacyFilter } from './parse/legacy-actors.ts'
export { correlationActorsOfLegacyFilter, correlationOfLegacyFilter } from './parse/legacy-correlation.ts'
export { nodeOfLegacyFilter, placesOfLegacyFilter } from './parse/legacy-filter.ts'
export type { Place } from './parse/legacy-places.ts'
export { withOverride, wrongInOverride } from './parse/override.ts'
export { dataNodeIn, dataNodeOf, innermost, readQuery } from './parse/read-query.ts'
export { type DateOperator, dateBounds } from './plan/date-bounds.ts'
export { momentOf, refuseCrossed } from './plan/moment-of.ts'
export { notAPattern, patternsIn } from './plan/patterns.ts'
export { VERSION, VERSION_NUMBERS, type VersionTest, versionTests } from './plan/semver.ts'
export { testAccountFilters } from './plan/test-accounts.ts'
export { type Actor, type ActorsAnswer, personsBehind, runActors } from './run/actors.ts'
export { type InsightAnswer, runInsight } from './run/insight.ts'
export { ResultCache } from './run/result-cache.ts'
export { StatementRunner } from './run/statement-runner.ts'
export {
  type Annotation,
  type AnnotationFilters,
  type AnnotationValues,
  addTile,
  changeTiles,
  createAnnotation,
  createDashboard,
  createInsight,
  type Dashboard,
  type ForeignInsight,
  findAnnotation,
  findDashboard,
  findInsight,
  foreignInsight,
  INSIGHT_ORDERS,
  type InsightOrder,
  importedDashboard,
  insightsById,
  keepForeignInsight,
  keepTiming,
  lastViewed,
  listAnnotations,
  listDashboards,
  listInsights,
  noteCount,
  noteImported,
  noteViews,
  placeInsight,
  type SavedAction,
  type SavedCohort,
  type SavedInsight,
  savedActions,
  savedCohorts,
  type Tile,
  tagsIn,
  textIn,
  tilesOf,
  tilesOfInsights,
  updateAnnotation,
  updateDashboard,
  updateInsight,
} from './saved/index.ts'
export { answerTaxonomy } from './taxonomy/answer.ts'
export { csvRowsOf, csvText } from './wire/csv.ts'
export type { CsvCell, CsvRow } from './wire/csv-row.ts'
export { legacyEnvelope, queryEnvelope, resultOnWire } from './wire/envelope.ts'
export type { Links } from './wire/links.ts'
