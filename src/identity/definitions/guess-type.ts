import { exactDigits, type Json } from '../../lib/json.ts'

export type PropertyType = 'String' | 'Numeric' | 'Boolean' | 'DateTime'

const ALWAYS_TEXT = /^(?:utm_|\$initial_utm_|\$feature\/|\$survey_response|\$feature_flag_response$)/
const ABOUT_TIME = /time|date|_at|-at|createdat|updatedat/i
const BOOLEAN = new Set(['true', 'false', 'TRUE', 'FALSE'])
const SIX_MONTHS_SECONDS = 183 * 86_400
/** ISO 8601 with or without a time, the same with slashes, and RFC 2822. */
const ISO_DATE = /^\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?$/
const MAIL_DATE = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(?::\d{2})? (?:[+-]\d{4}|GMT|UTC?)$/

/**
 * The type of a value; null for null, objects and arrays. The first value with a type decides the type of the property.
 */
export function guessType(key: string, value: Json, nowMs: number): PropertyType | null {
  if (value === null) return null
  const digits = exactDigits(value)
  if (typeof value === 'object') return null
  if (ALWAYS_TEXT.test(key)) return 'String'
  if (ABOUT_TIME.test(key)) {
    if (typeof value === 'number' && Number.isInteger(value) && value >= nowMs / 1000 - SIX_MONTHS_SECONDS)
      return 'DateTime'
    if (typeof value === 'string' && looksLikeDate(value)) return 'DateTime'
  }
  if (typeof value === 'boolean') return 'Boolean'
  if (typeof value === 'number' || digits !== undefined) return 'Numeric'
  if (BOOLEAN.has(value)) return 'Boolean'
  return looksLikeDate(value) ? 'DateTime' : 'String'
}

const looksLikeDate = (text: string): boolean =>
  text.length <= 40 &&
  (ISO_DATE.test(text) || MAIL_DATE.test(text)) &&
  !Number.isNaN(Date.parse(text.replaceAll('/', '-')))
