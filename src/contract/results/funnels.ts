import { z } from 'zod'
import { cohortName, periodLabel } from './parts.ts'
import type { Wire } from './wire.ts'

const seconds = z.number().nullable()

export const funnelStepSchema = z
  .object({
    action_id: z.union([z.string(), z.number()]).nullable(),
    name: z.string(),
    custom_name: z.string().nullable(),
    order: z.int(),
    people: z.array(z.never()),
    count: z.number(),
    type: z.enum(['events', 'actions']),
    average_conversion_time: seconds,
    median_conversion_time: seconds,
    total_median_conversion_time: seconds.meta({
      description: 'From the first step to this one: half of those who reached it took less.',
    }),
    breakdown: z.union([z.array(z.string()), z.string()]).optional(),
    breakdown_value: z.union([z.array(z.string()), z.string(), z.number()]).optional(),
    breakdown_name: cohortName.optional(),
    compare_label: periodLabel.optional(),
    converted_people_url: z.string().optional(),
    dropped_people_url: z.string().nullable().optional(),
  })
  .meta({ id: 'FunnelStep' })
export type FunnelStep = Wire<typeof funnelStepSchema>

/** The steps of one funnel, or with a breakdown a list of them for each value. */
export const funnelStepsResultSchema = z.union([z.array(funnelStepSchema), z.array(z.array(funnelStepSchema))])
export type FunnelStepsResult = Wire<typeof funnelStepsResultSchema>

export const funnelTimesSchema = z
  .object({
    bins: z.array(z.tuple([z.number(), z.number()])).meta({ description: 'From so many seconds on, so many.' }),
    average_conversion_time: seconds,
    median_conversion_time: seconds,
    compare_label: periodLabel.optional(),
  })
  .meta({ id: 'FunnelTimes' })
export type FunnelTimes = Wire<typeof funnelTimesSchema>

/** One, or when two periods are compared one for each. */
export const funnelTimesResultSchema = z.union([funnelTimesSchema, z.array(funnelTimesSchema)])
export type FunnelTimesResult = Wire<typeof funnelTimesResultSchema>

export const funnelTrendSchema = z
  .object({
    count: z.int(),
    data: z.array(z.number()).meta({ description: 'For each interval, the per cent of those who entered in it.' }),
    days: z.array(z.string()),
    labels: z.array(z.string()),
    breakdown: z.string().optional(),
    breakdown_value: z.union([z.array(z.string()), z.string(), z.number()]).optional(),
    breakdown_name: cohortName.optional(),
    compare_label: periodLabel.optional(),
  })
  .meta({ id: 'FunnelTrend' })
export type FunnelTrend = Wire<typeof funnelTrendSchema>

export const funnelTrendsResultSchema = z.array(funnelTrendSchema)
export type FunnelTrendsResult = Wire<typeof funnelTrendsResultSchema>

/** By `funnelVizType` of the query: steps, time_to_convert or trends. */
export const funnelsResultSchema = z
  .union([funnelStepsResultSchema, funnelTimesResultSchema, funnelTrendsResultSchema])
  .meta({ id: 'FunnelsResult' })
export type FunnelsResult = Wire<typeof funnelsResultSchema>
