/**
 * JSON whose numbers keep their exact digits. JavaScript rounds integers beyond 2^53 (order numbers, snowflake ids);
 * people want back what they sent. Such a number travels inside our objects as a marked string and leaves as a number again.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** A private-use character no sane client sends; a string that starts with it and is not ours loses nothing but its mark. */
const MARK = '\uE0F7'
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const MARKED = new RegExp(`"${MARK}(-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)"`, 'g')

export function parseJson(text: string): Json {
  return JSON.parse(MAY_ROUND.test(text) ? text.replace(TOKENS, markIfRounded) : text)
}

export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text
}

/** Sixteen digits in a row: the shortest text that a double cannot always hold. Most bodies have none and take the fast way. */
const MAY_ROUND = /\d{16}/

function markIfRounded(token: string): string {
  if (token[0] === '"' || !MAY_ROUND.test(token)) return token
  return String(Number(token)) === token ? token : `"${MARK}${token}"`
}

export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The sent digits of a number that was too long for a double, or undefined. */
export const exactDigits = (value: unknown): string | undefined =>
  typeof value === 'string' && value.startsWith(MARK) ? value.slice(1) : undefined
