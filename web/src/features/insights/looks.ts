import * as z from 'zod/mini'
import { field, flag, someOf } from '../../lib/search-schema.ts'
import type { Unit } from '../../lib/units.ts'

/**
 * How the chart of a trend looks, in the draft and in the `trendsFilter` of a saved insight. None of it changes the
 * numbers, so it is not sent with the question: an answer that is there is drawn again at once.
 */
const UNITS = [
  'numeric',
  'short',
  'percentage',
  'percentage_scaled',
  'currency',
  'duration',
  'duration_ms',
] as const satisfies readonly Unit[]

const goalSchema = z.object({ label: z.string(), value: z.number() })
export type Goal = z.infer<typeof goalSchema>
export const MOST_GOALS = 5

export const looksFields = {
  unit: field(z.enum(UNITS)),
  prefix: field(z.string()),
  suffix: field(z.string()),
  decimals: field(z.int().check(z.minimum(0), z.maximum(10))),
  log: flag,
  trendLine: flag,
  goals: field(someOf(goalSchema)),
}
export const looksSchema = z.object(looksFields)
export type Looks = z.infer<typeof looksSchema>
