import type { Warning } from '../../events/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import type { NormalisedEvent } from './normalise.ts'
import { spareUuid } from './person-uuid.ts'
import { changedProperties, overlaid } from './property-changes.ts'
import { jsonText } from './storable.ts'
import { warning } from './warn.ts'
import type { IdState, PersonState, WorkingSet } from './working-set.ts'

export const MAX_PERSON_BYTES = 640 * 1024
/** The earliest time that ClickHouse can store. */
const EARLIEST = Date.UTC(1900, 0, 1)

/** Creates a person for distinct ids that have none. By default its uuid is derived from the first of them. */
export function createPerson(
  set: WorkingSet,
  event: NormalisedEvent,
  ids: readonly IdState[],
  uuidFrom: IdState,
  warnings: Warning[],
): PersonState {
  const facts = set.facts(uuidFrom)
  const uuid = facts.taken ? spareUuid(event.project, uuidFrom.distinctId, event.uuid) : uuidFrom.uuid
  const { properties, bytes } = initialProperties(event, warnings)
  const version = facts.tombstoneVersion === null || facts.taken ? 0 : facts.tombstoneVersion + 1
  const person: PersonState = {
    project: event.project,
    uuid,
    id: null,
    properties,
    propertyBytes: bytes,
    createdAt: birthday(event.timestamp),
    version,
    storedVersion: version,
    isIdentified: false,
    lastSeenAt: seenAt(event),
    storedLastSeenAt: 0,
    touched: true,
    mergedInto: null,
    uuidUsed: !facts.taken && set.hasStoredEvents(uuidFrom),
  }
  set.add(person)
  if (facts.overridden && !facts.taken) set.override(event.project, uuidFrom.uuid, null)
  for (const id of ids) attach(set, id, person)
  return person
}

/** Gives a distinct id to a person. Earlier events of the id without a person belong to that person from now on. */
export function attach(set: WorkingSet, id: IdState, person: PersonState): void {
  id.person = person
  person.touched = true
  id.attachedAs = set.nextPlace()
  if (id.usedPersonless && id.uuid !== person.uuid && !set.facts(id).taken && set.hasStoredEvents(id))
    set.override(id.project, id.uuid, person)
}

function initialProperties(event: NormalisedEvent, warnings: Warning[]): { properties: JsonObject; bytes: number } {
  const born: JsonObject = { $creator_event_uuid: event.uuid }
  const properties = overlaid(overlaid(event.changes.setOnce, event.changes.set), born)
  const bytes = bytesWithin(mostBytes(properties), properties)
  if (bytes <= MAX_PERSON_BYTES) return { properties, bytes }
  warnings.push(oversized(event, bytes))
  return { properties: born, bytes: byteLength(born) }
}

/** Applies `$set`, `$set_once` and `$unset` to a person that existed before the event. */
export function updatePerson(person: PersonState, event: NormalisedEvent, warnings: Warning[]): void {
  person.lastSeenAt = Math.max(person.lastSeenAt, seenAt(event))
  const changed = changedProperties(person.properties, event.event, event.changes)
  if (!changed) return
  const added = mostBytes(event.changes.set) + mostBytes(event.changes.setOnce)
  const bytes = bytesWithin(person.propertyBytes + added, changed)
  if (bytes > MAX_PERSON_BYTES) {
    warnings.push(oversized(event, bytes))
    return
  }
  person.properties = changed
  person.propertyBytes = bytes
  person.version += 1
  person.touched = true
}

/** The properties of two merged persons. When they are too large together, only the survivor's are kept. */
export function mergedProperties(
  survivor: PersonState,
  other: PersonState,
  event: NormalisedEvent,
  warnings: Warning[],
): void {
  const properties = overlaid(other.properties, survivor.properties)
  const bytes = bytesWithin(survivor.propertyBytes + other.propertyBytes, properties)
  if (bytes > MAX_PERSON_BYTES) {
    warnings.push(oversized(event, bytes))
    return
  }
  survivor.properties = properties
  survivor.propertyBytes = bytes
}

export const birthday = (timestamp: number): number => Math.max(EARLIEST, Math.floor(timestamp))

const oversized = (event: NormalisedEvent, bytes: number): Warning =>
  warning('person_properties_too_large', event, { bytes, limit: MAX_PERSON_BYTES })

/** The bound itself while it is within the limit; only beyond it are the bytes counted. */
const bytesWithin = (atMost: number, properties: JsonObject): number =>
  atMost <= MAX_PERSON_BYTES ? atMost : byteLength(properties)

const byteLength = (properties: JsonObject): number => Buffer.byteLength(jsonText(properties))

/** A character of a text is at most six bytes of JSON, and a number or a boolean at most this many. */
const MOST_BYTES_OF_CHARACTER = 6
const MOST_BYTES_OF_SCALAR = 32
/** Two quotes, a colon and a comma. */
const BYTES_AROUND_KEY = 4

/** At least the bytes of the properties' JSON, without writing it. */
export function mostBytes(properties: JsonObject): number {
  let bytes = 2
  for (const key of Object.keys(properties)) {
    const value = properties[key] as Json
    bytes += key.length * MOST_BYTES_OF_CHARACTER + BYTES_AROUND_KEY
    if (typeof value === 'string') bytes += value.length * MOST_BYTES_OF_CHARACTER + 2
    else if (typeof value === 'object' && value !== null) bytes += Buffer.byteLength(jsonText(value))
    else bytes += MOST_BYTES_OF_SCALAR
  }
  return bytes
}

const seenAt = (event: NormalisedEvent): number =>
  event.properties.$update_person_last_seen_at === false ? 0 : Math.max(0, Math.floor(event.timestamp))
