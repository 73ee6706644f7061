import { z } from 'zod'
import { type Json, parseJson } from '../../lib/json.ts'

/** Ways to say yes and no that clients use besides JSON's own. */
const SAID: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...['true', 'True', 'TRUE', 't', '1', 'yes', 'on', 1].map((yes) => [yes, true] as const),
  ...['false', 'False', 'FALSE', 'f', '0', 'no', 'off', 0].map((no) => [no, false] as const),
])

/** A boolean, in JSON or in a query string. */
export const flag = z.preprocess((given) => SAID.get(given) ?? given, z.boolean())

/** Text for a column of Postgres: trimmed, numbers as their digits. */
export const text = (longest?: number) =>
  z.preprocess(
    (given) => (typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : given),
    (longest === undefined ? z.string() : z.string().max(longest))
      .refine((given) => !given.includes('\0'), { error: 'Null characters are not allowed.' })
      .transform((given) => given.toWellFormed()),
  )

/** JSON, or its text as forms have it. Text that is none stays as it is, for a schema to refuse. */
export const json = z.preprocess((given) => {
  if (typeof given !== 'string') return given
  try {
    return parseJson(given)
  } catch {
    return given
  }
}, z.custom<Json>())

/** A list of ids, the JSON text of one, or a single id. */
export const idList = z.preprocess((given) => {
  if (typeof given !== 'string' || !given.trim().startsWith('[')) return typeof given === 'object' ? given : [given]
  return json.parse(given)
}, z.array(z.union([z.string(), z.int().transform(String)]), 'Send a list of ids.').nullable())

/** An id of a session as a path or a list has it. */
export const sessionId = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{1,200}$/,
    'Must be the id of a session recording: up to 200 letters, digits, hyphens and underscores.',
  )

/** A value that query strings carry as JSON text and bodies as JSON. */
export const integer = z.coerce
  .string()
  .regex(/^\d{1,9}$/, 'A valid integer is required.')
  .transform(Number)
