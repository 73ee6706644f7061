import { ageLimitStep } from './age-limit.ts'
import { propertiesStep } from './properties.ts'
import { spikeStep } from './spike.ts'
import type { Step } from './step.ts'
import { surveyStep } from './survey.ts'
import { timestampStep } from './timestamp.ts'

/** The steps in order. One list for each partition, because the spike step has state. */
export const eventSteps = (): readonly Step[] => [timestampStep, propertiesStep, ageLimitStep, surveyStep, spikeStep()]
