/**
 * JSON whose numbers keep their exact digits. JavaScript rounds integers beyond 2^53 (order numbers, snowflake ids),
 * and clients expect what they sent. Such a number is a marked string inside our objects and is written as a number
 * again.
 *
 * The mark is a private-use character. In a string of a client that starts with it the mark is doubled, so that nothing
 * a client sends can be mistaken for one of our numbers.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

const MARK = '\uE0F7'
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const DIGITS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Digits with leading zeros are not JSON; they are left for JSON.parse to refuse. */
const VALID_NUMBER = new RegExp(`^${NUMBER}$`)
const MARKED_NUMBER = new RegExp(`^"${MARK}(${NUMBER})"$`)

/**
 * Sixteen digits (a point among them does not matter), or an exponent of three digits at a value: the shortest texts
 * that a double cannot always represent. Most bodies have none and take the fast path.
 */
const MANY_DIGITS = /\d(?:\.?\d){15}/
const EXPONENT = /[eE][+-]?\d{3}/
/** The mark in a client's text, escaped. */
const MARK_ESCAPED = /\\u[eE]0[fF]7/
const STARTS_MARKED = /^"(?:\uE0F7|\\u[eE]0[fF]7)/

export function parseJson(text: string): Json {
  const exact = holdsLongNumber(text) || text.includes(MARK) || (text.includes('\\u') && MARK_ESCAPED.test(text))
  return JSON.parse(exact ? rewrite(text, markString, markNumbers) : text)
}

/**
 * Parses JSON as PostgreSQL's jsonb writes it. It writes 1e400 as a one and 400 zeros; a number beyond the range of a
 * double gets its exponent back, so that the same number is the same text again.
 */
export const parseStoredJson = (text: string): Json =>
  parseJson(text.includes(MANY_ZEROS) ? rewrite(text, (token) => token, shortenNumbers) : text)

const MANY_ZEROS = '0'.repeat(20)
const shortenNumbers = (between: string): string =>
  between.includes(MANY_ZEROS) ? between.replace(DIGITS, withExponent) : between

function withExponent(token: string): string {
  const value = Number(token)
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(token) ?? []
  if (!Number.isFinite(value) && fraction === '' && whole.endsWith(MANY_ZEROS))
    return `${sign}${mantissa(whole.replace(/0+$/, ''))}e${whole.length - 1}`
  const digits = fraction.replace(/^0+/, '')
  return value === 0 && digits !== '' ? `${sign}${mantissa(digits)}e-${fraction.length - digits.length + 1}` : token
}

const mantissa = (digits: string): string => (digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`)

/**
 * Whether some number of the text may not fit a double: sixteen digits, or an exponent of three. A run of three digits
 * or more covers an index that is a multiple of three, so only every third character is checked; of two runs around a
 * point one is that long.
 */
function holdsLongNumber(text: string): boolean {
  for (let at = 2; at < text.length; at += 3) {
    if (!isDigit(text.charCodeAt(at))) continue
    let start = at
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (end < text.length && isDigit(text.charCodeAt(end))) end++
    if (end - start + digitsBeyondPoint(text, start, end) >= 16) return true
    if (end - start >= 3 && isExponent(text, start)) return true
    at = end
  }
  return false
}

/** How many digits are on the other side of a point before or after the run. */
function digitsBeyondPoint(text: string, start: number, end: number): number {
  let more = 0
  if (text.charCodeAt(end) === POINT) while (isDigit(text.charCodeAt(end + 1 + more))) more++
  else if (text.charCodeAt(start - 1) === POINT) while (isDigit(text.charCodeAt(start - 2 - more))) more++
  return more
}

const POINT = 0x2e
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * Whether the digits are the exponent of a number: before them an e, perhaps with a sign, and before that digits at the
 * beginning of a value. Three digits after an e are in every other uuid, too.
 */
function isExponent(text: string, start: number): boolean {
  let at = start - 1
  if (text.charCodeAt(at) === PLUS || text.charCodeAt(at) === MINUS) at--
  if ((text.charCodeAt(at) | 0x20) !== LOWER_E) return false
  const end = at--
  while (isDigit(text.charCodeAt(at)) || text.charCodeAt(at) === POINT) at--
  if (at + 1 === end) return false
  if (text.charCodeAt(at) === MINUS) at--
  return at < 0 || BEFORE_VALUES.has(text.charCodeAt(at))
}

const PLUS = 0x2b
const MINUS = 0x2d
const LOWER_E = 0x65
const BEFORE_VALUES = new Set([...':,[ \t\n\r'].map((character) => character.charCodeAt(0)))

export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text?.includes(MARK) ? rewrite(text, unmarkString, (between) => between) : text
}

/** The same JSON with everything but ASCII escaped. Only strings can hold such characters. */
export const asciiJson = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Rewrites the strings of a JSON text and the text between them. By hand, because a regular expression for strings
 * needs a stack as deep as the number of escapes in the longest string.
 */
function rewrite(text: string, ofString: (token: string) => string, ofRest: (between: string) => string): string {
  const parts: string[] = []
  let at = 0
  for (;;) {
    const open = text.indexOf('"', at)
    if (open < 0) break
    parts.push(ofRest(text.slice(at, open)))
    const close = endOfString(text, open)
    if (close < 0) {
      at = open
      break
    }
    parts.push(ofString(text.slice(open, close + 1)))
    at = close + 1
  }
  parts.push(ofRest(text.slice(at)))
  return parts.join('')
}

/** The quote that closes the string: the next one with an even number of backslashes before it. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0
    while (text[close - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return close
  }
  return -1
}

const markString = (token: string): string => (STARTS_MARKED.test(token) ? `"${MARK}${token.slice(1)}` : token)

const markNumbers = (between: string): string =>
  between.length < 5 || !mayLoseDigits(between) ? between : between.replace(DIGITS, markIfRounded)

const markIfRounded = (token: string): string =>
  mayLoseDigits(token) && String(Number(token)) !== token && VALID_NUMBER.test(token) ? `"${MARK}${token}"` : token

const mayLoseDigits = (text: string): boolean => MANY_DIGITS.test(text) || EXPONENT.test(text)

function unmarkString(token: string): string {
  if (token[1] !== MARK) return token
  if (token[2] === MARK) return `"${token.slice(2)}`
  return MARKED_NUMBER.exec(token)?.[1] ?? token
}

export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The exact digits of a number that was too long for a double, or undefined. */
export const exactDigits = (value: unknown): string | undefined =>
  typeof value === 'string' && value[0] === MARK && value[1] !== MARK ? value.slice(1) : undefined

/** A parsed string as the client sent it: for strings that are used outside of JSON (an id, a name). */
export const plainText = (value: string): string =>
  value[0] === MARK ? (value[1] === MARK ? value.slice(1) : (exactDigits(value) ?? value)) : value

/** Any value as text, where one is wanted: `String` throws for an object whose `toString` is not a function. */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? stringifyJson(value) : String(value)

/** Any value as a number, a list of one as what it holds; NaN where it is none. `Number` throws for the same objects. */
export function numberFrom(value: unknown): number {
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  return typeof only === 'object' && only !== null ? Number.NaN : Number(only)
}

/** Whether a text from elsewhere (a column, a query string) would be written as a number: it must not be stored. */
export const isMarked = (text: string): boolean => text.startsWith(MARK)

/** A text from elsewhere as it would be if it had been parsed: nothing in it is one of our numbers. */
export const asParsed = (text: string): string => (isMarked(text) ? MARK + text : text)

/**
 * A copy with the same keys in the same order. Not by spreading: V8 gives each spread object a shape of its own, and
 * every later access is then several times slower.
 */
export function copyOf(object: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const key of Object.keys(object)) define(copy, key, object[key] as Json)
  return copy
}

/** Sets a key of the object itself: an assignment to `__proto__` would change its prototype instead. */
export function define(object: JsonObject, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
  else object[key] = value
}

/** Equal content then gives equal text. */
export function withSortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withSortedKeys)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, withSortedKeys(value[key] as Json)]),
  )
}
