/**
 * JSON whose numbers keep their exact digits. JavaScript rounds integers beyond 2^53 (order numbers, snowflake ids);
 * people want back what they sent. Such a number travels inside our objects as a marked string and leaves as a number again.
 *
 * The mark is a private-use character. A string of the client's own that starts with it travels with the mark doubled, so that
 * nothing a client sends can be mistaken for one of our numbers.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

const MARK = '\uE0F7'
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const DIGITS = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
/** Digits with leading zeros are no JSON; they stay as they are for JSON.parse to refuse. */
const VALID_NUMBER = new RegExp(`^${NUMBER}$`)
const MARKED_NUMBER = new RegExp(`^"${MARK}(${NUMBER})"$`)

/**
 * Sixteen digits in a row, or an exponent of three digits where a value stands: the shortest texts that a double cannot
 * always hold. Most bodies have none and take the fast way.
 */
const MANY_DIGITS = /\d{16}/
const HUGE_EXPONENT = /(?:^|[:,[\s])-?\d[\d.]*[eE][+-]?\d{3}/
/** The same wherever it stands: half the work, and almost always enough to say no. */
const EXPONENT = /[eE][+-]?\d{3}/
/** The mark in a client's text, as itself or escaped. */
const MARK_SENT = /\uE0F7|\\u[eE]0[fF]7/
const STARTS_MARKED = /^"(?:\uE0F7|\\u[eE]0[fF]7)/

export function parseJson(text: string): Json {
  const exact = MANY_DIGITS.test(text) || (EXPONENT.test(text) && HUGE_EXPONENT.test(text)) || MARK_SENT.test(text)
  return JSON.parse(exact ? rewrite(text, markString, markNumbers) : text)
}

export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text?.includes(MARK) ? rewrite(text, unmarkString, (between) => between) : text
}

/**
 * Rewrites the strings of a JSON text and what stands between them. By hand, because a regular expression for strings needs a stack
 * as deep as the longest string has escapes.
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

/** The sent digits of a number that was too long for a double, or undefined. */
export const exactDigits = (value: unknown): string | undefined =>
  typeof value === 'string' && value[0] === MARK && value[1] !== MARK ? value.slice(1) : undefined

/** A parsed string as the client sent it: for the rare place that takes a string out of its JSON (an id, a name). */
export const plainText = (value: string): string =>
  value[0] === MARK ? (value[1] === MARK ? value.slice(1) : (exactDigits(value) ?? value)) : value
