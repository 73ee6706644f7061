/** What an insight is broken down by, and what it is compared with. */
import { z } from 'zod'
import { flag, groupIndex, optional } from './fields.ts'

const BREAKDOWN_TYPES = ['event', 'person', 'group', 'session', 'hogql', 'cohort', 'event_metadata'] as const
export type BreakdownType = (typeof BREAKDOWN_TYPES)[number]
const breakdownName = z.union([z.string(), z.number()])
const binCount = optional(z.number().int().min(1).max(1000))

export const breakdownFilterSchema = z
  .object({
    breakdown: optional(z.union([breakdownName, z.array(breakdownName)])),
    breakdown_type: optional(z.enum(BREAKDOWN_TYPES)),
    breakdown_group_type_index: optional(groupIndex),
    breakdown_limit: optional(z.number().int().min(1)),
    /** Ours: where the page of values starts that `next` leads to. */
    breakdown_offset: optional(z.number().int().min(0)),
    breakdown_normalize_url: flag,
    breakdown_hide_other_aggregation: flag,
    breakdown_histogram_bin_count: binCount,
    breakdowns: optional(
      z
        .array(
          z.object({
            property: breakdownName,
            type: optional(z.enum(BREAKDOWN_TYPES)),
            normalize_url: flag,
            group_type_index: optional(groupIndex),
            histogram_bin_count: binCount,
          }),
        )
        .max(3, 'At most three breakdowns can be combined.'),
    ),
  })
  .meta({ id: 'BreakdownFilter' })
  .nullish()
  .transform((value) => value ?? undefined)
export type BreakdownFilter = NonNullable<z.infer<typeof breakdownFilterSchema>>

export const compareFilterSchema = z
  .object({ compare: flag, compare_to: optional(z.string()) })
  .meta({ id: 'CompareFilter' })
  .nullish()
  .transform((value) => value ?? undefined)

/** One value of a breakdown, as a client names the number it means. */
export const breakdownValueSchema = z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))])
