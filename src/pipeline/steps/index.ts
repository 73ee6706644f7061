import { type GeoLookup, NO_GEO } from '../../events/index.ts'
import { ageLimitStep } from './age-limit.ts'
import { heatmapStep } from './heatmap.ts'
import { propertiesStep } from './properties.ts'
import { spikeStep } from './spike.ts'
import type { Step } from './step.ts'
import { surveyStep } from './survey.ts'
import { timestampStep } from './timestamp.ts'
import { visitorStep } from './visitor.ts'

/** The steps in order. One list for each partition, because the spike step has state. */
export const eventSteps = (geo: GeoLookup = NO_GEO): readonly Step[] => [
  timestampStep,
  visitorStep(geo),
  propertiesStep,
  ageLimitStep,
  heatmapStep,
  surveyStep,
  spikeStep(),
]
