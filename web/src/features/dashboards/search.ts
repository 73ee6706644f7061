import * as z from 'zod/mini'
import { text } from '../../lib/search-schema.ts'

/** Dates for all insights of the dashboard, instead of their own. */
export const dashboardSearch = z.object({ from: text, to: text })
