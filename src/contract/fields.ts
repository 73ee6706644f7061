import { z } from 'zod'
import { belowZero } from '../lib/as-sent.ts'
import { exactDigits, isMarked, isObject, type Json, type JsonObject, parseJson, plainText } from '../lib/json.ts'

/** Ways to say yes and no that clients use besides JSON's own. */
const SAID: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...['true', 'True', 'TRUE', 't', '1', 'yes', 'on', 1].map((yes) => [yes, true] as const),
  ...['false', 'False', 'FALSE', 'f', '0', 'no', 'off', 0].map((no) => [no, false] as const),
])

/** A boolean, in JSON or in a query string. */
export const flag = z.preprocess((given) => SAID.get(given) ?? given, z.boolean())

/** Text for a column of Postgres: trimmed, numbers as the digits that were sent. */
export const text = (longest?: number) =>
  z.preprocess(
    (given) =>
      typeof given === 'number' ? String(given) : typeof given === 'string' ? plainText(given).trim() : given,
    (longest === undefined ? z.string() : z.string().max(longest))
      .refine((given) => !given.includes('\0'), { error: 'Null characters are not allowed.' })
      .refine((given) => !isMarked(given), { error: 'The first character may not be U+E0F7.' })
      .transform((given) => given.toWellFormed()),
  )

/** A text to be searched for, as it was sent. A number too long for a double is none, as a shorter one is none. */
export const sentText = z.string().refine((given) => exactDigits(given) === undefined, { error: 'Expected text.' })

/** JSON, or its text as forms have it. Text that is none stays as it is, for a schema to refuse. */
export const json = z.preprocess((given) => {
  if (typeof given !== 'string') return given
  try {
    return parseJson(given)
  } catch {
    return given
  }
}, z.custom<Json>())

/**
 * JSON to be kept as it is; a schema that rebuilt it would lose keys such as `__proto__`. A number beyond every double
 * is refused: it would come back as something else.
 */
export const keptJson = z.custom<Json>().superRefine((given, context) => {
  if (given === undefined) return context.addIssue({ code: 'invalid_type', expected: 'unknown', input: given })
  refuseNumbersBeyond(given, context)
})

/** The same, and an object. */
export const keptObject = z
  .custom<JsonObject>()
  .superRefine((given, context) => {
    if (!isObject(given)) return context.addIssue({ code: 'invalid_type', expected: 'record', input: given })
    refuseNumbersBeyond(given, context)
  })
  .meta({ type: 'object', additionalProperties: true })

function refuseNumbersBeyond(given: Json, context: z.RefinementCtx): void {
  const beyond = numberBeyond(given, [])
  if (beyond === undefined) return
  const message = `${beyond.digits.slice(0, 40)} is too large for a number: send a smaller one, or send it as text.`
  context.addIssue({ code: 'custom', message, path: beyond.path })
}

function numberBeyond(
  value: unknown,
  path: readonly (string | number)[],
): { digits: string; path: (string | number)[] } | undefined {
  if (typeof value !== 'object' || value === null) {
    const digits = exactDigits(value)
    return digits !== undefined && !Number.isFinite(Number(digits)) ? { digits, path: [...path] } : undefined
  }
  for (const [key, inner] of Object.entries(value)) {
    const found = numberBeyond(inner, [...path, key])
    if (found) return found
  }
  return undefined
}

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

/** 0 or more. More digits than a number holds mean a number that is too large for anything there is. */
export const wholeNumber = z.coerce
  .string()
  .meta({ type: 'integer', minimum: 0 })
  .refine((given) => /^-?\d+$/.test(given), { error: 'A valid integer is required.', abort: true })
  .refine((given) => !given.startsWith('-'), { error: ({ input }) => belowZero(input) })
  .transform((given) => Math.min(Number(given), Number.MAX_SAFE_INTEGER))

/** The largest integer of a column of Postgres: an id that nothing has. */
const LARGEST_ID = 2 ** 31 - 1

/** The id of something, in a query string. */
export const integer = wholeNumber.transform((id) => Math.min(id, LARGEST_ID))
