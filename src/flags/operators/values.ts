/** How operators read the values of properties and filters. */
import { exactDigits, isObject, type Json, plainText, stringifyJson, withSortedKeys } from '../../lib/json.ts'

/** Text as it is, anything else as its JSON. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return plainText(value)
  return stringifyJson(Array.isArray(value) || isObject(value) ? withSortedKeys(value) : value)
}

/** ASCII letters alone: Unicode's own rules may change the length of a text. */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** A number, or text that is nothing but one. */
export function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const text = exactDigits(value) ?? value
  if (!NUMBER.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Whether a filter asks for true or false rather than for a text; an empty list asks for true. */
export function isTruthValue(value: Json): boolean {
  if (typeof value === 'boolean') return true
  if (typeof value === 'string') return /^(?:true|false)$/i.test(value)
  return Array.isArray(value) && value.every(isTruthValue)
}

/** What a value says as true or false. A list says true when all of it does. */
export function truthOf(value: Json): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value.length === 4 && value.toLowerCase() === 'true'
  return Array.isArray(value) && value.every(truthOf)
}
