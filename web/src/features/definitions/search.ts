import * as z from 'zod/mini'
import { oneOf, text } from '../../lib/search-schema.ts'

export const definitionsSearch = z.object({ view: oneOf(['events', 'event', 'person', 'group']), open: text })
export type DefinitionsSearch = z.infer<typeof definitionsSearch>
