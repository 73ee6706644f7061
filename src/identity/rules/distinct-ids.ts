import { exactDigits, type Json, stringifyJson } from '../../lib/json.ts'
import { withoutNul } from '../../lib/without-nul.ts'

const MAX_DISTINCT_ID_CHARACTERS = 200

const ILLEGAL_ANY_CASE = [
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'undefined',
  'true',
  'false',
]
const ILLEGAL_EXACT = ['[object Object]', 'NaN', 'None', 'none', 'null', '0', 'undefined']
const quoted = (words: readonly string[]) => new Set(words.flatMap((word) => [word, `'${word}'`, `"${word}"`]))
const anyCase = quoted(ILLEGAL_ANY_CASE)
const exact = quoted(ILLEGAL_EXACT)

/** Ids that faulty code sends for all users: merging by them would make one person of everybody. */
export const isIllegalDistinctId = (id: string): boolean =>
  id.trim() === '' || exact.has(id) || anyCase.has(id.toLowerCase())

/** The text of an id: numbers keep their digits, objects and arrays become compact JSON with sorted keys. */
export function distinctIdText(value: Json): string {
  const text = typeof value === 'string' ? (exactDigits(value) ?? value) : stringifyJson(sortKeys(value))
  return storableId(text)
}

/** Postgres stores neither NUL nor half a surrogate pair. */
export function storableId(text: string): string {
  const cut = text.length > MAX_DISTINCT_ID_CHARACTERS ? firstCharacters(text, MAX_DISTINCT_ID_CHARACTERS) : text
  const whole = cut.isWellFormed() ? cut : cut.toWellFormed()
  return withoutNul(whole)
}

const firstCharacters = (text: string, count: number) =>
  Array.from(text.slice(0, count * 2))
    .slice(0, count)
    .join('')

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key] as Json)]),
  )
}
