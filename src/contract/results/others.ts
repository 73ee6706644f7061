/** Results of lifecycle, stickiness, retention and paths. */
import { z } from 'zod'
import { LIFECYCLE_STATUSES } from '../queries/lifecycle.ts'
import { cohortName, periodLabel, personsUrlSchema, seriesActionSchema, zonedTime } from './parts.ts'
import type { Wire } from './wire.ts'

const seriesFields = {
  action: seriesActionSchema,
  label: z.string(),
  count: z.number(),
  data: z.array(z.number()),
  labels: z.array(z.string()),
  persons_urls: z.array(personsUrlSchema).optional(),
}

export const lifecycleSeriesSchema = z
  .object({ ...seriesFields, status: z.enum(LIFECYCLE_STATUSES), days: z.array(z.string()) })
  .meta({ id: 'LifecycleSeries' })
export const lifecycleResultSchema = z.array(lifecycleSeriesSchema)
export type LifecycleSeries = Wire<typeof lifecycleSeriesSchema>
export type LifecycleResult = Wire<typeof lifecycleResultSchema>

export const stickinessSeriesSchema = z
  .object({
    ...seriesFields,
    days: z.array(z.int()).meta({ description: 'In so many intervals; `data` has how many were active in them.' }),
    filter: z.object({
      insight: z.literal('STICKINESS'),
      interval: z.string(),
      date_from: zonedTime,
      date_to: zonedTime,
    }),
    compare: z.literal(true).optional(),
    compare_label: periodLabel.optional(),
  })
  .meta({ id: 'StickinessSeries' })
export const stickinessResultSchema = z.array(stickinessSeriesSchema)
export type StickinessSeries = Wire<typeof stickinessSeriesSchema>
export type StickinessResult = Wire<typeof stickinessResultSchema>

const retentionRowFields = {
  label: z.string(),
  date: zonedTime,
  breakdown_value: z.string().optional(),
  breakdown_name: cohortName.optional(),
}

export const retentionRowSchema = z
  .object({ ...retentionRowFields, values: z.array(z.object({ count: z.number(), label: z.string() })) })
  .meta({ id: 'RetentionRow' })
export const retentionResultSchema = z.array(retentionRowSchema)
export type RetentionRow = Wire<typeof retentionRowSchema>
export type RetentionResult = Wire<typeof retentionResultSchema>

/** The legacy answer has a list of people in every cell, which is always empty, and where they are listed. */
export const legacyRetentionRowSchema = z
  .object({
    ...retentionRowFields,
    values: z.array(z.object({ count: z.number(), people: z.array(z.never()), people_url: z.string() })),
    people_url: z.string(),
  })
  .meta({ id: 'LegacyRetentionRow' })
export type LegacyRetentionRow = Wire<typeof legacyRetentionRowSchema>

export const pathEdgeSchema = z
  .object({ source: z.string(), target: z.string(), value: z.number(), average_conversion_time: z.number() })
  .meta({ id: 'PathEdge' })
export const pathsResultSchema = z.array(pathEdgeSchema)
export type PathEdge = Wire<typeof pathEdgeSchema>
export type PathsResult = Wire<typeof pathsResultSchema>
