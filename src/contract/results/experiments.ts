import { z } from 'zod'
import { computedFields } from './envelope.ts'

const interval = z.tuple([z.number(), z.number()])

const variantSchema = z.object({
  key: z.string(),
  number_of_samples: z.int().meta({ description: 'People.' }),
  sum: z.number(),
  sum_squares: z.number(),
  mean: z.number().meta({ description: 'Of a funnel: the share that came through.' }),
  step_counts: z.array(z.int()).nullable(),
})

/** A variant against the baseline. Intervals are of the relative difference, 95%. */
export const variantResultSchema = variantSchema
  .extend({
    chance_to_win: z.number(),
    credible_interval: interval.nullable(),
    p_value: z.number().nullable(),
    confidence_interval: interval.nullable(),
    significant: z.boolean(),
  })
  .meta({ id: 'ExperimentVariantResult' })

const ratioSchema = z.object({
  p_value: z.number().nullable(),
  mismatch: z
    .boolean()
    .meta({ description: 'The variants are not as large as they should be: do not trust the rest.' }),
})

const exposureSeriesSchema = z
  .object({ variant: z.string(), days: z.array(z.string()), exposure_counts: z.array(z.int()) })
  .meta({ id: 'ExperimentExposureSeries', description: 'Counts of a day add up those before it.' })

export const experimentAnswerSchemas = {
  ExperimentQuery: z
    .object({
      metric_type: z.enum(['funnel', 'mean']),
      method: z.enum(['bayesian', 'frequentist']).meta({ description: 'Which of the two decides `significant`.' }),
      baseline: variantSchema,
      variant_results: z.array(variantResultSchema),
      results: z.array(variantResultSchema).meta({ description: 'The same, by the name all answers have.' }),
      excluded_multiple: z.int().meta({ description: 'People who met several variants, left out.' }),
      sample_ratio: ratioSchema,
      warnings: z.array(z.string()),
      ...computedFields,
    })
    .meta({ id: 'ExperimentQueryAnswer' }),
  ExperimentExposureQuery: z
    .object({
      total_exposures: z.record(z.string(), z.int()).meta({ description: 'By variant; $multiple: of several.' }),
      timeseries: z.array(exposureSeriesSchema),
      results: z.array(exposureSeriesSchema).meta({ description: 'The same, by the name all answers have.' }),
      sample_ratio: ratioSchema,
      date_range: z.object({ date_from: z.iso.datetime(), date_to: z.iso.datetime().nullable() }),
      ...computedFields,
    })
    .meta({ id: 'ExperimentExposureQueryAnswer' }),
} as const
