/**
 * Reading values as clients send them: JSON text (sometimes encoded twice), texts that mean numbers or booleans,
 * one-element lists.
 */
import { parseJson } from '../../lib/json.ts'

/** Decodes JSON text as often as it was encoded; text that is not JSON stays text. */
export function decoded(value: unknown): unknown {
  let current = value
  for (let round = 0; round < 3 && typeof current === 'string'; round++) {
    const text = current.trim()
    if (!/^[[{"]/.test(text)) return current
    try {
      current = parseJson(text)
    } catch {
      return current
    }
  }
  return current
}

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object behind a text, a doubly encoded text or a list of one. */
export function asFields(value: unknown): Fields | undefined {
  const opened = decoded(value)
  if (Array.isArray(opened) && opened.length === 1) return asFields(opened[0])
  return isFields(opened) ? opened : undefined
}

/** The list behind a text or a single item. */
export function asList(value: unknown): unknown[] {
  const opened = decoded(value)
  if (opened === undefined || opened === null || opened === '') return []
  return Array.isArray(opened) ? opened.map(decoded) : [opened]
}

export function asBoolean(value: unknown): unknown {
  if (typeof value !== 'string') return value === 1 ? true : value === 0 ? false : value
  const text = value.toLowerCase()
  if (['true', '1', 't', 'yes', 'on'].includes(text)) return true
  if (['false', '0', 'f', 'no', 'off', ''].includes(text)) return false
  return value
}

/** A number sent as text. What is no number stays as it is, for the schema to refuse. */
export function asNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return undefined
  const number = Number(value)
  return Number.isNaN(number) ? value : number
}

/** The same object without keys that hold nothing, so that the defaults of the node apply. */
export function withoutEmpty(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))
}

/** As above, and nothing at all when no key is left. */
export function unlessEmpty(fields: Fields): Fields | undefined {
  const kept = withoutEmpty(fields)
  return Object.keys(kept).length > 0 ? kept : undefined
}
