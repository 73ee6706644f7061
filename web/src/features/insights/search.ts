import * as z from 'zod/mini'
import { field, oneOf } from '../../lib/search-schema.ts'
import { draftSchema } from './draft.ts'

export const insightSearch = z.object({ q: field(draftSchema) })
export const insightsSearch = z.object({ view: oneOf(['all', 'favourites', 'mine']) })
