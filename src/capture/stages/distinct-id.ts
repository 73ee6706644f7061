import { exactDigits, type Json, type JsonObject, plainText, stringifyJson, withSortedKeys } from '../../lib/json.ts'
import { LIMITS } from '../limits.ts'
import { cutTo, storable } from './text.ts'

export type DistinctId =
  | { ok: true; value: string; cut: boolean }
  | { ok: false; reason: 'distinct_id_missing' | 'distinct_id_empty' }

/**
 * The distinct id of an item: from the top level, else from the properties. A value that is not a string becomes its
 * JSON text (23 -> "23"), objects with sorted keys so that equal objects give equal ids. Spaces around an id are kept;
 * only spaces is no id.
 */
export function distinctIdOf(item: JsonObject, properties: JsonObject): DistinctId {
  const sent = item.distinct_id ?? item.$distinct_id ?? properties.distinct_id ?? properties.$distinct_id ?? null
  if (sent === null) return { ok: false, reason: 'distinct_id_missing' }
  const text = storable(textOf(sent))
  if (text.trim() === '') return { ok: false, reason: 'distinct_id_empty' }
  const value = cutTo(text, LIMITS.distinctIdCharacters)
  if (value.trim() === '') return { ok: false, reason: 'distinct_id_empty' }
  return { ok: true, value, cut: value !== text }
}

function textOf(sent: Json): string {
  if (typeof sent === 'string') return exactDigits(sent) ?? plainText(sent)
  return typeof sent === 'object' ? stringifyJson(withSortedKeys(sent)) : String(sent)
}
