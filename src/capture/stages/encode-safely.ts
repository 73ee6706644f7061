import { stringifyJson } from '../../lib/json.ts'

/** Null when the value is nested deeper than the stack. */
export function encodeSafely(value: unknown): string | null {
  try {
    return stringifyJson(value)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
