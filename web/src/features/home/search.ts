import * as z from 'zod/mini'
import { date } from '../../lib/search-schema.ts'

/** Which days the page is about; the last 30 unless told. */
export const homeSearch = z.object({ from: date, to: date })
