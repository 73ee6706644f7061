import { z } from 'zod'
import { cohortName, periodLabel, personsUrlSchema, seriesActionSchema, zonedTime } from './parts.ts'
import type { Wire } from './wire.ts'

const trendsActionSchema = seriesActionSchema
  .extend({
    days: z.array(z.string()),
    math_property: z.string().nullable(),
    math_hogql: z.string().nullable(),
    math_group_type_index: z.int().nullable(),
  })
  .meta({ id: 'TrendsAction' })

const breakdownName = z.union([z.string(), z.number()])

/** A small echo of what was asked, in the legacy keys that clients look for. */
const trendsEchoSchema = z
  .object({
    insight: z.literal('TRENDS'),
    display: z.string(),
    interval: z.string(),
    date_from: zonedTime,
    date_to: zonedTime,
    breakdown: z.union([breakdownName, z.array(breakdownName)]).optional(),
    breakdown_type: z.string().optional(),
    breakdowns: z
      .array(
        z.object({
          property: breakdownName,
          type: z.string().optional(),
          normalize_url: z.boolean(),
          group_type_index: z.int().optional(),
          histogram_bin_count: z.int().optional(),
        }),
      )
      .optional(),
    formula: z.string().optional(),
    compare: z.literal(true).optional(),
  })
  .meta({ id: 'TrendsEcho' })

export const trendSeriesSchema = z
  .object({
    action: trendsActionSchema.nullable().meta({ description: 'Null for a formula.' }),
    label: z.string(),
    count: z.number(),
    data: z
      .array(z.number())
      .nullable()
      .meta({ description: 'One number an interval; none for displays of one number.' }),
    days: z.array(z.string()),
    labels: z.array(z.string()).optional(),
    aggregated_value: z.number().optional().meta({ description: 'Of displays that show one number.' }),
    breakdown_value: z.union([z.string(), z.number(), z.array(z.string())]).optional(),
    breakdown_name: cohortName.optional(),
    compare: z.literal(true).optional(),
    compare_label: periodLabel.optional(),
    filter: trendsEchoSchema,
    persons_urls: z.array(personsUrlSchema).optional(),
    persons: personsUrlSchema.optional(),
  })
  .meta({ id: 'TrendSeries' })
export type TrendSeries = Wire<typeof trendSeriesSchema>

export const trendsResultSchema = z.array(trendSeriesSchema)
export type TrendsResult = Wire<typeof trendsResultSchema>
