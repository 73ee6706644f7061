import { exactDigits, type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'
import { withoutNul } from '../../lib/without-nul.ts'

/**
 * The value as Postgres' jsonb can store it: no NUL, no half surrogate pairs, limited nesting, no number beyond its
 * range. Values that fit are returned as they are, without a copy.
 */
const MAX_DEPTH = 64
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/
const LONGEST_NUMBER = 1_000
const TROUBLE = /[\0\uE0F7]|[\uD800-\uDFFF]/

export function storableText(text: string): string {
  if (!TROUBLE.test(text)) return text
  const digits = exactDigits(text)
  if (digits !== undefined && NUMBER.test(digits) && digits.length <= LONGEST_NUMBER) return text
  return withoutNul(text.toWellFormed()).replaceAll('\uE0F7', '')
}

export function storable(value: Json, depth = 0): Json {
  if (typeof value === 'string') return storableText(value)
  if (value === null || typeof value !== 'object') return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) {
    let copy: Json[] | null = null
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json
      const kept = storable(item, depth + 1)
      if (kept === item) continue
      copy ??= value.slice()
      copy[i] = kept
    }
    return copy ?? value
  }
  return storableObject(value, depth)
}

export function storableObject(object: JsonObject, depth = 0): JsonObject {
  const keys = Object.keys(object)
  let entries: [string, Json][] | null = null
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const item = object[key] as Json
    const kept = storable(item, depth + 1)
    const name = TROUBLE.test(key) ? storableText(key).replaceAll('\uE0F7', '') : key
    if (kept !== item || name !== key) entries ??= keys.slice(0, i).map((before) => [before, object[before] as Json])
    entries?.push([name, kept])
  }
  return entries === null ? object : Object.fromEntries(entries)
}

/** The JSON text of a value that is storable. */
export const jsonText = (value: Json): string => stringifyJson(value)
