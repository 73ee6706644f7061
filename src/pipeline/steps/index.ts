import { ageLimitStep } from './age-limit.ts'
import { propertiesStep } from './properties.ts'
import { spikeStep } from './spike.ts'
import type { Step } from './step.ts'
import { surveyStep } from './survey.ts'
import { timestampStep } from './timestamp.ts'

/** The life of an event between the log and its identity, in order. One list for each partition: the spike step remembers. */
export const eventSteps = (): readonly Step[] => [timestampStep, propertiesStep, ageLimitStep, surveyStep, spikeStep()]
