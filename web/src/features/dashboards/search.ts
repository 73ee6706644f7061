import * as z from 'zod/mini'
import { date } from '../../lib/search-schema.ts'

/** Dates for all insights of the dashboard, instead of their own. */
export const dashboardSearch = z.object({ from: date, to: date })
