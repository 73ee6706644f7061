import { HEATMAP_EVENT, heatmapPoints } from '../../events/index.ts'
import { drop, ok, type PipelineEvent, type StepResult, warn } from './step.ts'

/**
 * Takes the points of heatmaps off an event: they have a table of their own. An event that carries nothing but points
 * is dropped when it has none.
 */
export function heatmapStep(event: PipelineEvent): StepResult {
  const { points, invalid, why } = heatmapPoints(event.properties)
  if (points.length > 0) event.heatmap = points
  if (event.properties.$heatmap_data !== undefined) delete event.properties.$heatmap_data
  const warnings = why === null ? [] : [warn(event, 'heatmap_data_invalid', { ignored: invalid, reason: why })]
  return event.event === HEATMAP_EVENT && points.length === 0 ? drop(...warnings) : ok(...warnings)
}
