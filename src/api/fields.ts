import { z } from 'zod'

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

/** An id of a session as a path or a list has it. */
export const sessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,200}$/, 'Must be the id of a session recording: up to 200 letters, digits and hyphens.')

/** A value that query strings carry as JSON text and bodies as JSON. */
export const integer = z.coerce
  .string()
  .regex(/^\d{1,9}$/, 'A valid integer is required.')
  .transform(Number)
