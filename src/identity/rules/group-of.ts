import { exactDigits, type Json, stringifyJson } from '../../lib/json.ts'
import { storableText } from './storable.ts'
import type { IdentityEvent } from './types.ts'

export const MAX_GROUP_KEY_CHARACTERS = 400

/** The group type and key of a `$groupidentify`; null when it names none. */
export function groupOf(event: Pick<IdentityEvent, 'event' | 'properties'>): { type: string; key: string } | null {
  if (event.event !== '$groupidentify') return null
  const { $group_type: type, $group_key: key } = event.properties
  if (!type || !key) return null
  return { type: keyText(type), key: keyText(key) }
}

export const keyText = (value: Json): string =>
  storableText(typeof value === 'string' ? (exactDigits(value) ?? value) : stringifyJson(value))
