import * as z from 'zod/mini'
import { date, text } from '../../lib/search-schema.ts'

export const sqlSearch = z.object({ sql: text, display: text, from: date, to: date })
