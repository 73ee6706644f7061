import * as z from 'zod/mini'
import { text } from '../../lib/search-schema.ts'

/** `next` is the address that somebody wanted before signing in. */
export const signInSearch = z.object({ token: text, next: text })
