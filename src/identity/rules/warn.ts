import type { Warning, WarningType } from '../../events/index.ts'
import { type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'
import { storableObject, storableText } from './storable.ts'
import type { IdentityEvent } from './types.ts'

export const warning = (
  type: WarningType,
  event: Pick<IdentityEvent, 'event' | 'distinctId' | 'uuid'>,
  details: JsonObject = {},
): Warning => ({ type, event: event.event, distinctId: event.distinctId, uuid: event.uuid, details })

const MOST_KEYS = 5
const SAMPLE_CHARACTERS = 100

/** The properties as Postgres can store them; a warning names what was changed. */
export function storableOf(
  event: Pick<IdentityEvent, 'event' | 'distinctId' | 'uuid'>,
  property: '$set' | '$set_once' | '$group_set',
  sent: JsonObject,
  warnings: Warning[],
): JsonObject {
  const kept = storableObject(sent)
  if (kept === sent) return sent
  const changed = Object.keys(sent).filter((key) => kept[key] !== sent[key])
  const keys = changed.slice(0, MOST_KEYS).map((key) => storableText(key.slice(0, SAMPLE_CHARACTERS)))
  warnings.push(warning('property_value_changed', event, { property, keys, kept: sample(kept[keys[0] ?? ''] ?? null) }))
  return kept
}

const sample = (value: Json): string => storableText(stringifyJson(value).slice(0, SAMPLE_CHARACTERS))
