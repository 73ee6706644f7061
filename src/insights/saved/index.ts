export { noteCount, type SavedAction, type SavedCohort, savedActions, savedCohorts } from './actions-and-cohorts.ts'
export {
  type Annotation,
  type AnnotationFilters,
  type AnnotationValues,
  createAnnotation,
  findAnnotation,
  listAnnotations,
  updateAnnotation,
} from './annotations.ts'
export {
  addTile,
  changeTiles,
  createDashboard,
  type Dashboard,
  findDashboard,
  importedDashboard,
  insightsById,
  listDashboards,
  noteImported,
  placeInsight,
  type Tile,
  tilesOf,
  tilesOfInsights,
  updateDashboard,
} from './dashboards.ts'
export { type ForeignInsight, foreignInsight, keepForeignInsight, tagsIn, textIn } from './foreign.ts'
export { createInsight, findInsight, type SavedInsight, updateInsight } from './insight.ts'
export { INSIGHT_ORDERS, type InsightOrder, listInsights } from './list.ts'
export { keepTiming, lastViewed, noteViews } from './views.ts'
