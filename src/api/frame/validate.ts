import type { z } from 'zod'
import { parsedBy } from '../../contract/parsed-by.ts'
import { ApiError, type ErrorCode } from '../../http/errors.ts'

/** Reads a value by its schema, or answers 400 for the first field that is wrong, in the words API clients know. */
export function validate<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = parsedBy(schema, value)
  if (parsed.success) return parsed.data
  throw toError(parsed.error.issues[0] as z.core.$ZodIssue, value)
}

/** The answer to what is wrong with a value, by its first issue. */
export function toError(issue: z.core.$ZodIssue, root: unknown): ApiError {
  const attr = issue.path.length === 0 ? null : issue.path.map(String).join('__')
  const given = issue.path.reduce<unknown>(
    (value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step],
    root,
  )
  if (attr === null && issue.code === 'invalid_type') {
    return new ApiError('invalid_input', `Invalid data. Expected a dictionary, but got ${nameOf(given)}.`)
  }
  if (given === undefined) return new ApiError('required', undefined, { attr })
  if (given === null && issue.code === 'invalid_type') return new ApiError('null', undefined, { attr })
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return new ApiError('max_length', `Ensure this field has no more than ${issue.maximum} characters.`, { attr })
  }
  if (issue.code === 'too_small' && issue.origin === 'string' && given === '')
    return new ApiError('blank', undefined, { attr })
  // A schema may name the code that clients know for what is wrong.
  if (issue.code === 'custom' && issue.params?.code !== undefined)
    return new ApiError(issue.params.code as ErrorCode, issue.message, { attr })
  return new ApiError('invalid_input', issue.code === 'invalid_type' ? wordsFor(issue.expected) : issue.message, {
    attr,
  })
}

const WORDS: Record<string, string> = {
  boolean: 'Must be a valid boolean.',
  string: 'Not a valid string.',
  number: 'A valid integer is required.',
  int: 'A valid integer is required.',
  array: 'Expected a list of items.',
  object: 'Expected an object.',
  record: 'Expected an object.',
}

const wordsFor = (expected: string) => WORDS[expected] ?? `Expected ${expected}.`

const nameOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)
