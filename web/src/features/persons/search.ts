import * as z from 'zod/mini'
import { field, number, oneOf, text } from '../../lib/search-schema.ts'
import { filterSchema } from '../insights/index.ts'

/** `offset` is the row at the top of the table when somebody was opened from it. */
export const personsSearch = z.object({
  search: text,
  filters: field(z.array(filterSchema)),
  order: oneOf(['-last_seen_at', 'last_seen_at', '-created_at', 'created_at']),
  offset: number,
})
export type PersonsSearch = z.infer<typeof personsSearch>
export const personSearch = z.object({ view: oneOf(['timeline', 'recordings', 'groups', 'flags', 'history']) })
