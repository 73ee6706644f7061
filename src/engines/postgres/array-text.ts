/**
 * How a list is written for an array parameter. The library escapes each text with two regular expressions, which for
 * the JSON of persons and events costs ten times what `JSON.stringify` does.
 */

const SPECIAL = /["\\]/
/** Control characters and half surrogate pairs: JSON escapes them in a way of its own, which an array does not know. */
const ESCAPED_BY_JSON = /[\p{Cc}\p{Cs}]/u

type Serialise = (value: never) => unknown

/** The text of a list without lists in it, or null for anything else. */
export function arrayText(list: unknown, serialise: Serialise | undefined): string | null {
  if (!Array.isArray(list)) return null
  let text = '{'
  for (let i = 0; i < list.length; i++) {
    const value: unknown = list[i]
    if (value === undefined || (typeof value === 'object' && value !== null)) return null
    if (i > 0) text += ','
    text += value === null ? 'null' : quoted(String(serialise ? serialise(value as never) : value))
  }
  return `${text}}`
}

function quoted(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`
  if (!ESCAPED_BY_JSON.test(text)) return JSON.stringify(text)
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
