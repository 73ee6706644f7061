import * as z from 'zod/mini'
import { field, oneOf } from '../../lib/search-schema.ts'

/** Something opened from a number, beside the page. The open ones are in the address, so that each has its own. */
const panelSchema = z.discriminatedUnion('to', [
  /** `source` is the query for the people behind a number. */
  z.object({ to: z.literal('people'), title: z.string(), source: z.unknown(), tab: oneOf(['people', 'recordings']) }),
  z.object({ to: z.literal('person'), id: z.string() }),
  z.object({ to: z.literal('event'), id: z.string() }),
])
export type Panel = z.infer<typeof panelSchema>

const panels = field(z.array(panelSchema))

/** What every page of a project has in its address besides its own fields. Links made by version 0.1 say `doors`. */
export const panelsSearch = z.object({ panels, doors: panels })
