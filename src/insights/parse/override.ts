/** What a dashboard (or `filters_override`) says over a saved query: its dates replace the query's, its properties are added. */
import type { z } from 'zod'
import { ApiError } from '../../http/errors.ts'
import { allOf, readProperties } from './property-filters.ts'
import type { InsightQuery, Query } from './query-schema.ts'
import { breakdownFilterSchema, type dateRangeSchema } from './shared-schema.ts'
import { asFields } from './wire-values.ts'

export function withOverride(query: Query, override: unknown): Query {
  const fields = asFields(override)
  if (fields === undefined || !isInsight(query)) return query
  const { date_from, date_to, explicitDate, properties, breakdown_filter } = fields
  const hasDates = (date_from ?? date_to ?? undefined) !== undefined
  const dateRange: z.infer<typeof dateRangeSchema> = hasDates
    ? { date_from: text(date_from), date_to: text(date_to), explicitDate: explicitDate === true }
    : query.dateRange
  const added = readProperties(properties, (message, path) => {
    throw new ApiError('invalid_input', message, { attr: ['filters_override', 'properties', ...path].join('__') })
  })
  const overridden = { ...query, dateRange, properties: allOf(query.properties, added) }
  if (breakdown_filter === undefined || breakdown_filter === null || !('breakdownFilter' in overridden))
    return overridden
  const breakdown = breakdownFilterSchema.safeParse(breakdown_filter)
  if (!breakdown.success) {
    throw new ApiError('invalid_input', 'The breakdown of the override cannot be read.', {
      attr: 'filters_override__breakdown_filter',
    })
  }
  return { ...overridden, breakdownFilter: breakdown.data }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const isInsight = (query: Query): query is InsightQuery => 'dateRange' in query
