import type { Warning } from '../../events/index.ts'
import { copyOf, isObject, type Json, type JsonObject } from '../../lib/json.ts'
import { withAutomaticProperties } from './automatic-properties.ts'
import { storableId } from './distinct-ids.ts'
import { groupOf, MAX_GROUP_KEY_CHARACTERS } from './group-of.ts'
import { storableText } from './storable.ts'
import type { IdentityEvent, PersonProcessing } from './types.ts'
import { storableOf, warning } from './warn.ts'

/** An event with everything that can be decided from the event alone. */
export interface NormalisedEvent extends IdentityEvent {
  readonly changes: PropertyChanges
  readonly warnings: readonly Warning[]
}

/** The changes of an event to its person, in a form that Postgres can store. */
export interface PropertyChanges {
  readonly set: JsonObject
  readonly setOnce: JsonObject
  readonly unset: readonly string[]
}

export interface Refused {
  readonly refused: string
  readonly warnings: readonly Warning[]
}

const NOTHING: JsonObject = {}
const NO_CHANGES: PropertyChanges = { set: NOTHING, setOnce: NOTHING, unset: [] }
/** Events that only change persons or groups and have no meaning without them. */
const NEED_PERSONS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify'])
const CHANGE_NOTHING = new Set(['$exception', '$$heatmap'])
const GROUP_KEYS = ['$group_0', '$group_1', '$group_2', '$group_3', '$group_4']
const CHANGE_KEYS = ['$set', '$set_once', '$unset']

export function normalise(event: IdentityEvent): NormalisedEvent | Refused {
  const warnings: Warning[] = []
  const personProcessing = processingOf(event, warnings)
  if (personProcessing === 'off') {
    if (NEED_PERSONS.has(event.event)) {
      const why = warning('invalid_event_when_process_person_profile_is_false', event)
      return { refused: why.type, warnings: [...warnings, why] }
    }
    const properties = without(event.properties, [...CHANGE_KEYS, ...GROUP_KEYS])
    return normalised(event, personProcessing, properties, NO_CHANGES, warnings)
  }
  const kept = '$process_person_profile' in event.properties ? ['$process_person_profile'] : []
  if (event.event === '$groupidentify') {
    if ((groupOf(event)?.key.length ?? 0) > MAX_GROUP_KEY_CHARACTERS) {
      const why = warning('group_key_too_long', event)
      return { refused: why.type, warnings: [...warnings, why] }
    }
    const properties = without(event.properties, [...kept, ...CHANGE_KEYS])
    return normalised(event, personProcessing, properties, NO_CHANGES, warnings)
  }
  for (const key of ['$set', '$set_once'] as const) checkObject(event, key, warnings)
  const additions = withAutomaticProperties(event.event, event.timestamp, event.properties)
  let properties = kept.length > 0 ? without(event.properties, kept) : event.properties
  if (additions) {
    properties = copyOf(properties)
    properties.$set = additions.$set
    properties.$set_once = additions.$set_once
  }
  const changes =
    CHANGE_NOTHING.has(event.event) || personProcessing === 'deferred'
      ? NO_CHANGES
      : changesOf(event, properties, warnings)
  return normalised(event, personProcessing, properties, changes, warnings)
}

/** Field by field, so that all objects have one V8 shape: everything after this reads them. */
const normalised = (
  event: IdentityEvent,
  personProcessing: PersonProcessing,
  properties: JsonObject,
  changes: PropertyChanges,
  warnings: readonly Warning[],
): NormalisedEvent => ({
  project: event.project,
  uuid: event.uuid,
  event: event.event,
  distinctId: storableId(event.distinctId),
  timestamp: event.timestamp,
  properties,
  personProcessing,
  changes,
  warnings,
})

function processingOf(event: IdentityEvent, warnings: Warning[]): PersonProcessing {
  const flag = event.properties.$process_person_profile
  if (flag === false) return 'off'
  if (flag !== undefined && flag !== true) warnings.push(warning('invalid_process_person_profile', event))
  // A merge is never deferred: merges are rare, and nothing else would join the two persons.
  return event.personProcessing === 'deferred' && NEED_PERSONS.has(event.event) ? 'full' : event.personProcessing
}

function changesOf(event: IdentityEvent, properties: JsonObject, warnings: Warning[]): PropertyChanges {
  const { $set, $set_once, $unset } = properties
  if ($set === undefined && $set_once === undefined && $unset === undefined) return NO_CHANGES
  return {
    set: isObject($set) ? storableOf(event, '$set', $set, warnings) : NOTHING,
    setOnce: isObject($set_once) ? storableOf(event, '$set_once', $set_once, warnings) : NOTHING,
    unset: namesOf(event, $unset, warnings),
  }
}

/** `$unset` names keys in an array, or as the keys of an object. */
function namesOf(event: IdentityEvent, unset: Json | undefined, warnings: Warning[]): readonly string[] {
  if (unset === undefined || unset === null) return []
  if (isObject(unset)) return Object.keys(unset).map(storableText)
  const names = Array.isArray(unset) ? unset.filter((name): name is string => typeof name === 'string') : []
  if (!Array.isArray(unset) || names.length < unset.length) warnings.push(warning('unset_wrong_type', event))
  return names.map(storableText)
}

function checkObject(event: IdentityEvent, key: '$set' | '$set_once', warnings: Warning[]): void {
  const value = event.properties[key]
  if (value === undefined || value === null || isObject(value)) return
  warnings.push(warning('set_not_object', event, { property: key }))
}

function without(properties: JsonObject, keys: readonly string[]): JsonObject {
  if (!keys.some((key) => key in properties)) return properties
  const copy = copyOf(properties)
  for (const key of keys) delete copy[key]
  return copy
}
