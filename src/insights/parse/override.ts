/**
 * What a dashboard (or `filters_override`) says over a saved query: its dates replace the query's, its properties are
 * added.
 */
import type { z } from 'zod'
import { parsedBy } from '../../contract/parsed-by.ts'
import {
  allOf,
  asFields,
  breakdownFilterSchema,
  dateFromSchema,
  type dateRangeSchema,
  dateToSchema,
  type InsightQuery,
  type Query,
  readProperties,
} from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'

export function withOverride(query: Query, override: unknown): Query {
  const fields = asFields(override)
  if (fields === undefined || !isInsight(query)) return query
  const { date_from, date_to, explicitDate, properties, breakdown_filter } = fields
  const hasDates = (date_from ?? date_to ?? undefined) !== undefined
  const dateRange: z.infer<typeof dateRangeSchema> = hasDates
    ? {
        date_from: dateIn(dateFromSchema, date_from, 'date_from'),
        date_to: dateIn(dateToSchema, date_to, 'date_to'),
        explicitDate: explicitDate === true,
      }
    : query.dateRange
  const added = readProperties(properties, (message, path) => {
    throw new InvalidQuery(message, ['filters_override', 'properties', ...path])
  })
  const overridden = { ...query, dateRange, properties: allOf(query.properties, added) }
  if (breakdown_filter === undefined || breakdown_filter === null || !('breakdownFilter' in overridden))
    return overridden
  const breakdown = parsedBy(breakdownFilterSchema, breakdown_filter)
  if (!breakdown.success) {
    throw new InvalidQuery('The breakdown of the override cannot be read.', ['filters_override', 'breakdown_filter'])
  }
  return { ...overridden, breakdownFilter: breakdown.data }
}

/**
 * Whether a dashboard can keep these filters: what it could not ask is refused before it is kept. Answers what is
 * wrong, and where.
 */
export function wrongInOverride(
  override: unknown,
): { readonly message: string; readonly path: readonly string[] } | undefined {
  const fields = asFields(override)
  if (fields === undefined) return undefined
  for (const [name, schema] of [
    ['date_from', dateFromSchema],
    ['date_to', dateToSchema],
  ] as const) {
    const parsed = parsedBy(schema, fields[name])
    if (!parsed.success) return { message: parsed.error.issues[0]?.message ?? 'Not a date.', path: [name] }
  }
  let wrong: { message: string; path: string[] } | undefined
  readProperties(fields.properties, (message, path) => {
    wrong ??= { message, path: ['properties', ...path.map(String)] }
  })
  return wrong
}

function dateIn(schema: typeof dateFromSchema, value: unknown, name: string): string | undefined {
  const parsed = parsedBy(schema, value)
  if (parsed.success) return parsed.data || undefined
  throw new InvalidQuery(parsed.error.issues[0]?.message, ['filters_override', name])
}

const isInsight = (query: Query): query is InsightQuery => 'dateRange' in query
