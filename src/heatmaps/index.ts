export { readHeatmap, readHeatmapPages, readHeatmapWidths } from './ask.ts'
export { findFrame } from './find-frame.ts'
export type { HeatmapContext } from './question.ts'
