import { z } from 'zod'
import { isObject } from '../lib/json.ts'

/**
 * `schema.safeParse` for what a client sent: always an answer. zod compares the length of anything that has one, also
 * where it expects a text or a list and finds an object; for `{"length": {"toString": 1}}` the comparison throws.
 */
export function parsedBy<T extends z.ZodType>(schema: T, value: unknown): z.ZodSafeParseResult<z.output<T>> {
  try {
    return schema.safeParse(value)
  } catch (error) {
    const path = error instanceof TypeError ? incomparableIn(value) : undefined
    if (path === undefined) throw error
    const message = 'A text or a list is expected, not an object with a length.'
    const issue = { code: 'custom', message, path, input: value } as const
    return { success: false, error: new z.ZodError([issue]) as z.ZodError<z.output<T>> }
  }
}

/** Where the first object is whose length cannot be compared. */
function incomparableIn(value: unknown): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isObject(value) && typeof value.length === 'object' && value.length !== null) return []
  for (const [name, inside] of Object.entries(value)) {
    const path = incomparableIn(inside)
    if (path !== undefined) return [name, ...path]
  }
  return undefined
}
