import { z } from 'zod'
import type { Json } from '../../lib/json.ts'

const described = (type: string, description?: string) =>
  z
    .custom<Json>()
    .optional()
    .meta({ type, ...(description === undefined ? {} : { description }) })

/**
 * What the insight endpoints take: the fields of an insight, of which `query` and `filters` say what is asked, and legacy filter keys
 * beside them. Which of them count, and what is wrong with them, is decided where the question is read.
 */
export const INSIGHT_FIELDS = z.looseObject({
  name: described('string'),
  derived_name: described('string'),
  filters: z.custom<Json>().optional(),
  query: z.custom<Json>().optional().meta({ description: 'A query node, as an object or as JSON text.' }),
  order: described('integer'),
  deleted: described('boolean'),
  dashboards: described('array', 'Deprecated: replaced by dashboard_tiles.'),
  description: described('string'),
  tags: described('array'),
  favorited: described('boolean'),
  saved: described('boolean'),
})
