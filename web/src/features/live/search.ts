import * as z from 'zod/mini'
import { oneOf } from '../../lib/search-schema.ts'

export const liveSearch = z.object({ view: oneOf(['stream', 'problems']) })
