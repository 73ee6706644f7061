import * as z from 'zod/mini'
import { oneOf, text } from '../../lib/search-schema.ts'

export const flagsSearch = z.object({ search: text, show: oneOf(['on', 'off', 'stale', 'archived']) })
export const experimentsSearch = z.object({ search: text, show: oneOf(['draft', 'running', 'complete']) })
export const FLAG_VIEWS = ['rules', 'usage', 'experiment', 'test', 'code', 'history'] as const
/** `who`: the person for whom the flag is explained. */
export const flagSearch = z.object({ view: oneOf(FLAG_VIEWS), who: text })
