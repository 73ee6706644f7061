/**
 * How properties are stored in a `props` column (ClickHouse's JSON type): every value as the text people see, under a
 * path. Keys and paths map to each other one to one. A JSON column made from the sent text itself would refuse whole
 * batches (integers past 64 bits, 1e400, lone surrogates), read some keys as syntax and return 1.0 as 1.
 *
 * Text forms: a string is itself, a number its digits, a boolean "true" or "false", a list or object its JSON. Null is
 * left out.
 */
import { exactDigits, type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'
import { type Fragment, Param, sql } from './sql.ts'

/** ASCII characters that have a meaning inside a path (dots, brackets, quotes, ^ : @ %) or are not printable. */
const NOT_PLAIN = /[^A-Za-z0-9_$/ \-\u0080-\u{10FFFF}]/gu

/** The path of a key. The empty key cannot be an identifier; a single % is not the path of any other key. */
export function propertyPath(key: string): string {
  if (key === '') return '%'
  return key.toWellFormed().replace(NOT_PLAIN, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** What to insert into a `props` column. */
export function propertyTexts(properties: JsonObject): Record<string, string> {
  // Without a prototype, or a property named __proto__ would be lost.
  const texts: Record<string, string> = Object.create(null)
  for (const [key, value] of Object.entries(properties)) {
    const text = propertyText(value)
    if (text !== undefined) texts[propertyPath(key)] = text
  }
  return texts
}

/** The same as JSON text, for the hot path: keys are few and repeat, so their paths are cached. */
export function propertyTextsAsJson(properties: JsonObject): string {
  let json = ''
  for (const key in properties) {
    const text = propertyText(properties[key] as Json)
    if (text !== undefined) json += `${json === '' ? '' : ','}${pathAsJson(key)}:${JSON.stringify(text)}`
  }
  return `{${json}}`
}

const PATHS_KEPT = 10_000
const paths = new Map<string, string>()

function pathAsJson(key: string): string {
  const known = paths.get(key)
  if (known !== undefined) return known
  const path = JSON.stringify(propertyPath(key))
  if (paths.size < PATHS_KEPT) paths.set(key, path)
  return path
}

export function propertyText(value: Json): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return exactDigits(value) ?? value.toWellFormed()
  if (typeof value === 'object') return stringifyJson(value).toWellFormed()
  return String(value)
}

/** The text of one property, Nullable(String): reads only its subcolumn; the key is a parameter. */
export const propertyOf = (column: Fragment, key: string): Fragment =>
  sql`${column}.${new Param('Identifier', propertyPath(key))}.:String`
