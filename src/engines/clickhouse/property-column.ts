/**
 * How properties are stored in a `props` column (ClickHouse's JSON type): every value as the text people see, under a
 * path. Keys and paths map to each other one to one. A JSON column made from the sent text itself would refuse whole
 * batches (integers past 64 bits, 1e400, lone surrogates), read some keys as syntax and return 1.0 as 1.
 *
 * Text forms: a string is itself, a number its digits, a boolean "true" or "false", a list or object its JSON. Null is
 * left out.
 */
import { exactDigits, type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'
import { RowBinary } from './row-binary.ts'
import { type Fragment, Param, sql } from './sql.ts'

/** ASCII characters that have a meaning inside a path (dots, brackets, quotes, ^ : @ %) or are not printable. */
const NOT_PLAIN = /[^A-Za-z0-9_$/ \-\u0080-\u{10FFFF}]/gu

/** Nearly all keys are their own path. */
const PLAIN = /^[A-Za-z0-9_$/ -]+$/

/** The path of a key. The empty key cannot be an identifier; a single % is not the path of any other key. */
export function propertyPath(key: string): string {
  if (PLAIN.test(key)) return key
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

/**
 * Writes them in binary: how many paths there are, and of each its name, the type of its value and the value. Keys are
 * few and repeat, so what comes before a value is cached.
 */
export function writePropertyTexts(out: RowBinary, properties: JsonObject): void {
  const count = pathsOf(properties)
  if (count === null) {
    writePaths(out, propertyTexts(properties))
    return
  }
  out.size(count)
  for (const key in properties) {
    const text = binaryText(properties[key] as Json)
    if (text !== undefined) out.written(pathInBinary(key)).string(text)
  }
}

/** As propertyText, but half surrogate pairs are left to the encoding, which replaces them the same way. */
function binaryText(value: Json): string | undefined {
  return typeof value === 'string' ? (exactDigits(value) ?? value) : propertyText(value)
}

/** How many paths the properties have, or null when some of their keys may have the same. */
function pathsOf(properties: JsonObject): number | null {
  let count = 0
  for (const key in properties) {
    if (!isOnePath(key)) return null
    const value = properties[key]
    if (value !== null && value !== undefined) count++
  }
  return count
}

/** Two keys may have one path when they hold half surrogate pairs: the engine refuses a path that comes twice. */
const isOnePath = (key: string): boolean => paths.has(key) || key.isWellFormed()

function writePaths(out: RowBinary, texts: Record<string, string>): void {
  const entries = Object.entries(texts)
  out.size(entries.length)
  for (const [path, text] of entries) out.string(path).uint8(STRING_TYPE).string(text)
}

/** How ClickHouse writes the type String before a value of any type. */
const STRING_TYPE = 0x15
const PATHS_KEPT = 10_000
const paths = new Map<string, Uint8Array>()

function pathInBinary(key: string): Uint8Array {
  const known = paths.get(key)
  if (known !== undefined) return known
  const path = new RowBinary().string(propertyPath(key)).uint8(STRING_TYPE).done()
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
