/** Features that people may turn on for themselves before everybody gets them. */
import { z } from 'zod'
import { anyObject, dateTime } from '../answer-fields.ts'
import { pageQuerySchema } from '../envelopes.ts'
import { integer, keptObject, text } from '../fields.ts'
import { featureFlagSchema } from './feature-flags.ts'

export const FEATURE_STAGES = ['draft', 'concept', 'alpha', 'beta', 'general-availability', 'archived'] as const

export const earlyAccessFeatureSchema = z
  .object({
    id: z.guid(),
    feature_flag: featureFlagSchema.nullable(),
    name: z.string(),
    description: z.string(),
    stage: z.enum(FEATURE_STAGES),
    documentation_url: z.string(),
    payload: anyObject,
    created_at: dateTime,
  })
  .meta({ id: 'EarlyAccessFeature' })
export type EarlyAccessFeatureRecord = z.infer<typeof earlyAccessFeatureSchema>

export const earlyAccessFieldsSchema = z.object({
  name: text(200).optional(),
  description: text(5000).nullish(),
  stage: z.enum(FEATURE_STAGES, { error: `Send one of ${FEATURE_STAGES.join(', ')}.` }).optional(),
  documentation_url: text(800).nullish(),
  payload: keptObject.nullish(),
})
export type EarlyAccessFields = z.output<typeof earlyAccessFieldsSchema>

export const newEarlyAccessSchema = earlyAccessFieldsSchema.extend({
  feature_flag_id: integer.nullish().meta({
    description: 'A flag that is there; else one is made, with a key from the name.',
  }),
})

export const earlyAccessListQuerySchema = pageQuerySchema
