import * as z from 'zod/mini'
import { date, field, number } from '../../lib/search-schema.ts'
import { filterSchema } from '../insights/index.ts'

/** Dates and conditions for all insights of the dashboard; `every` is after how many minutes it is asked again. */
export const dashboardSearch = z.object({
  from: date,
  to: date,
  filters: field(z.array(filterSchema)),
  every: number,
})
