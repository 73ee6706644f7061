import * as z from 'zod/mini'
import { number, oneOf, text } from '../../lib/search-schema.ts'

/** `type` is the index of the group type. */
export const groupsSearch = z.object({ type: number, search: text })
export const groupSearch = z.object({ view: oneOf(['people', 'events', 'recordings']) })
