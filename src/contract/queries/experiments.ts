/** Questions about experiments: what its variants changed, and who met them. */
import { z } from 'zod'
import { optional } from './fields.ts'
import { seriesNodeSchema, seriesSchema } from './series.ts'

const experiment_id = z.coerce.number().int().min(1)

/** A goal: a funnel after the exposure, or how much people do of something. Saved funnels and trends are goals too. */
export const experimentMetricSchema = z
  .object({
    kind: z.enum(['ExperimentMetric', 'FunnelsQuery', 'TrendsQuery']).optional(),
    metric_type: z.enum(['funnel', 'mean'], { error: 'Metrics are of type funnel or mean.' }).optional(),
    name: optional(z.string()),
    series: optional(seriesSchema).meta({ description: 'Of a funnel: its steps after the exposure, in order.' }),
    source: optional(seriesNodeSchema).meta({
      description: 'Of a mean: what is counted, or with `math: sum` and `math_property` what is added up.',
    }),
  })
  .meta({ id: 'ExperimentMetric' })
export type ExperimentMetric = z.infer<typeof experimentMetricSchema>

export const experimentQuerySchema = z
  .object({ kind: z.literal('ExperimentQuery'), experiment_id, metric: experimentMetricSchema })
  .meta({ id: 'ExperimentQuery', description: 'What the variants of an experiment changed.' })
export type ExperimentQuery = z.infer<typeof experimentQuerySchema>

export const experimentExposureQuerySchema = z
  .object({ kind: z.literal('ExperimentExposureQuery'), experiment_id })
  .meta({ id: 'ExperimentExposureQuery', description: 'Who met which variant, day by day.' })
export type ExperimentExposureQuery = z.infer<typeof experimentExposureQuerySchema>
