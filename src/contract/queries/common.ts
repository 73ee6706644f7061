/** What every insight query carries, with upstream's keys. Keys that only change how a result is drawn are not read. */
import { z } from 'zod'
import { dateRangeSchema } from './dates.ts'
import { flag, groupIndex, optional } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'

/** Events are marked at ingestion when a bot sent them (`$is_bot`). */
export const botsSchema = z.enum(['include', 'exclude', 'only'])
export type Bots = z.infer<typeof botsSchema>

export const commonFields = {
  dateRange: dateRangeSchema,
  filterTestAccounts: flag,
  properties: propertiesSchema,
  aggregation_group_type_index: optional(groupIndex),
  /** Ours. */
  bots: optional(botsSchema).meta({
    description: 'Whether events of bots are counted; they are unless this says otherwise.',
  }),
  samplingFactor: optional(z.number().gt(0).max(1)),
}
