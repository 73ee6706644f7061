import * as z from 'zod/mini'
import { text } from '../../lib/search-schema.ts'

export const sqlSearch = z.object({ sql: text, display: text, from: text, to: text })
