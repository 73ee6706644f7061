/** Experiments: a flag whose variants are compared by goals. */
import { z } from 'zod'
import { anyJson, anyObject, dateTime, id } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { flag, keptJson, keptObject, text } from '../fields.ts'
import { featureFlagSchema } from './feature-flags.ts'
import { userSchema } from './user.ts'

export const experimentSchema = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    type: z.string(),
    start_date: dateTime.nullable(),
    end_date: dateTime.nullable(),
    feature_flag_key: z.string(),
    feature_flag: featureFlagSchema,
    holdout: z.null(),
    holdout_id: z.null(),
    exposure_criteria: anyObject,
    parameters: anyObject.meta({
      description:
        '`minimum_detectable_effect` (percent) and `baseline_conversion_rate` (0 to 1) give `recommended_sample_size`.',
    }),
    metrics: anyJson,
    metrics_secondary: anyJson,
    saved_metrics: z.array(anyObject),
    stats_config: anyObject,
    archived: z.boolean(),
    deleted: z.boolean(),
    conclusion: z.string().nullable(),
    conclusion_comment: z.string().nullable(),
    created_by: userSchema.nullable(),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'Experiment' })
export type Experiment = z.infer<typeof experimentSchema>

const moment = z
  .string()
  .refine((given) => !Number.isNaN(Date.parse(given)), { error: 'Send a time such as 2026-05-01T12:00:00Z.' })
  .transform((given) => new Date(given))

export const experimentFieldsSchema = z.object({
  name: text(400).optional(),
  description: text().nullish(),
  type: text(50).optional(),
  feature_flag_key: text(400).optional(),
  start_date: moment.nullish(),
  end_date: moment.nullish(),
  exposure_criteria: keptObject.nullish(),
  parameters: keptObject.nullish(),
  metrics: keptJson.nullish(),
  metrics_secondary: keptJson.nullish(),
  stats_config: keptObject.nullish(),
  archived: flag.optional(),
  deleted: flag.optional(),
  conclusion: text(50).nullish(),
  conclusion_comment: text().nullish(),
})
export type ExperimentFields = z.output<typeof experimentFieldsSchema>

export const experimentListQuerySchema = pageQuerySchema.extend({
  search: z.string().optional(),
  archived: flag.optional(),
  status: z
    .enum(['draft', 'running', 'complete', 'all'], { error: 'Send draft, running, complete or all.' })
    .optional(),
})
export type ExperimentListQuery = z.output<typeof experimentListQuerySchema>
