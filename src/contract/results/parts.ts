/** Parts that the answers of several kinds share. */
import { z } from 'zod'
import type { Wire } from './wire.ts'

/** A moment with the offset of the project's time zone. */
export const zonedTime = z.iso.datetime({ offset: true })

export const periodLabel = z.enum(['current', 'previous'])
export type PeriodLabel = z.infer<typeof periodLabel>

const propertyItem = z
  .object({
    key: z.string(),
    type: z.string(),
    operator: z.string(),
    value: z.union([z.string(), z.array(z.string())]).optional(),
    group_type_index: z.int().optional(),
  })
  .meta({ id: 'PropertyFilterAnswer' })

export type PropertyItemAnswer = Wire<typeof propertyItem>

export interface PropertyGroupAnswer {
  readonly type: 'AND' | 'OR'
  readonly values: readonly (PropertyItemAnswer | PropertyGroupAnswer)[]
}
const propertyGroup: z.ZodType<PropertyGroupAnswer> = z
  .object({ type: z.enum(['AND', 'OR']), values: z.array(z.union([propertyItem, z.lazy(() => propertyGroup)])) })
  .meta({ id: 'PropertyGroupAnswer' })

/** Filters as they were asked: a list that must all hold, or groups. */
export const propertiesAnswer = z.union([z.array(propertyItem), propertyGroup])
export type PropertiesAnswer = Wire<typeof propertiesAnswer>

/** The event or action that a series is about. */
export const seriesActionSchema = z
  .object({
    id: z.union([z.string(), z.number()]).nullable(),
    type: z.enum(['events', 'actions']),
    order: z.int(),
    name: z.string(),
    custom_name: z.string().nullable(),
    math: z.string(),
    properties: propertiesAnswer,
  })
  .meta({ id: 'SeriesAction' })

/** Where the people behind a number are listed. */
export const personsUrlSchema = z
  .object({ filter: z.record(z.string(), z.unknown()), url: z.string() })
  .meta({ id: 'PersonsUrl' })
export type PersonsUrl = Wire<typeof personsUrlSchema>

/** Breakdowns by cohort are answered by its id. */
export const cohortName = z.string().meta({ description: 'Of breakdowns by cohort: what the cohort is called.' })
