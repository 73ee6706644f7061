/** What every insight query carries, with upstream's keys. Keys that only change how a result is drawn are not read. */
import { z } from 'zod'
import { dateRangeSchema } from './dates.ts'
import { flag, groupIndex, optional } from './fields.ts'
import { propertiesSchema } from './property-filters.ts'

export const commonFields = {
  dateRange: dateRangeSchema,
  filterTestAccounts: flag,
  properties: propertiesSchema,
  aggregation_group_type_index: optional(groupIndex),
  samplingFactor: optional(z.number().gt(0).max(1)),
}
