import type { CapturedEvent } from '../../events/index.ts'
import { isObject, type Json, type JsonObject, plainText, stringifyJson } from '../../lib/json.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { LIMITS } from '../limits.ts'
import { clientUuid } from './client-uuid.ts'
import type { CutItems } from './cut-snapshots.ts'
import { type DistinctId, distinctIdOf } from './distinct-id.ts'
import { admitSnapshot, type Snapshot } from './snapshots.ts'
import { cutTo, storable } from './text.ts'
import { WarningList, type WarningSubject } from './warning-list.ts'

/**
 * Stage 3: raw items -> events and snapshots that may be stored, and a warning for each item that was dropped or
 * changed. A bad item costs only itself. Nothing here depends on the project.
 */
export interface Admitted {
  readonly events: CapturedEvent[]
  readonly snapshots: Snapshot[]
  readonly warnings: WarningList
  /** By uuid, where a client is told of each event: why it could not be encoded. */
  readonly unstorable?: Map<string, string>
}

interface AdmitContext {
  readonly now: number
  /** On /engage/ an item without an event name updates a person. */
  readonly engage: boolean
  readonly userAgent: string | undefined
  /** Whether an event may come again with the uuid that it gets here. */
  readonly mayComeTwice?: boolean | undefined
  /** The rrweb events that were cut out of items before these were parsed. */
  readonly cut?: CutItems | undefined
}

export function admit(items: readonly Json[], context: AdmitContext): Admitted {
  const admitted: Admitted = { events: [], snapshots: [], warnings: new WarningList() }
  for (const item of items) {
    if (isObject(item)) admitSafely(item, context, admitted)
    else admitted.warnings.add('invalid_item_dropped', {}, { got: kindOf(item) })
  }
  return admitted
}

/** JSON nested deeper than the stack costs one item, not the whole request. */
function admitSafely(item: JsonObject, context: AdmitContext, admitted: Admitted): void {
  try {
    admitItem(item, context, admitted)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    admitted.warnings.add('event_nested_too_deep', {})
  }
}

function admitItem(item: JsonObject, context: AdmitContext, admitted: Admitted): void {
  const { snapshots, warnings } = admitted
  const properties = propertiesOf(item)
  const id = distinctIdOf(item, properties ?? {})
  const name = nameOf(item, context)
  const subject: WarningSubject = {
    event: name?.text ?? null,
    distinctId: id.ok ? id.value : null,
    uuid: sentUuid(item),
  }

  if (name === null) warnings.add('event_without_name', subject)
  else if (name.text === '$$client_ingestion_warning') clientWarning(properties ?? {}, subject, warnings)
  else if (!id.ok) warnings.add(id.reason, subject)
  else if (name.text === '$snapshot')
    admitSnapshot(properties ?? {}, senderOf(id, item), context, snapshots, warnings, context.cut?.get(item))
  else admitEvent(item, name, id, properties, context, admitted)
}

function admitEvent(
  item: JsonObject,
  name: Name,
  id: UsableId,
  properties: JsonObject | null,
  { now, mayComeTwice = false }: AdmitContext,
  { events, warnings }: Admitted,
): void {
  const sent = clientUuid(item.uuid)
  const uuid = sent.kind === 'valid' ? sent.uuid : uuidV7(now)
  const subject: WarningSubject = { event: name.text, distinctId: id.value, uuid }
  if (sent.kind === 'invalid') warnings.add('invalid_uuid_replaced', subject, { uuid: sample(item.uuid) })
  if (properties === null) warnings.add('properties_not_object', subject, { got: kindOf(item.properties) })
  if (!name.wasString) warnings.add('event_name_not_string', subject)
  if (name.cut) warnings.add('event_name_too_long', subject)
  if (id.cut) warnings.add('distinct_id_too_long', subject)

  events.push({
    uuid,
    clientUuid: sent.kind === 'valid' || mayComeTwice,
    event: name.text,
    distinctId: id.value,
    properties: mergeSets(item, properties ?? {}, subject, warnings),
    timestamp: item.timestamp ?? null,
    offset: item.offset ?? null,
  })
}

type UsableId = DistinctId & { ok: true }
/** Null when the value is not an object. */
function propertiesOf(item: JsonObject): JsonObject | null {
  const sent = item.properties
  if (sent === undefined || sent === null) return {}
  return isObject(sent) ? sent : null
}

interface Name {
  readonly text: string
  readonly cut: boolean
  readonly wasString: boolean
}

/** Null without a name. The JSON text is the name when the value is not a string. */
function nameOf(item: JsonObject, context: AdmitContext): Name | null {
  const sent = item.event ?? null
  if (sent === null) return context.engage ? { text: '$identify', cut: false, wasString: true } : null
  const wasString = typeof sent === 'string'
  const text = storable(wasString ? plainText(sent) : stringifyJson(sent))
  if (text.trim() === '') return null
  const short = cutTo(text, LIMITS.eventNameCharacters)
  return { text: short, cut: short !== text, wasString }
}

/** $set and $set_once may be beside properties too; those values win, key by key. */
function mergeSets(
  item: JsonObject,
  properties: JsonObject,
  subject: WarningSubject,
  warnings: WarningList,
): JsonObject {
  let merged = properties
  for (const name of ['$set', '$set_once'] as const) {
    const top = item[name]
    if (top === undefined || top === null) continue
    if (!isObject(top)) {
      warnings.add('set_not_object', subject, { property: name, got: kindOf(top) })
      continue
    }
    const inner = properties[name]
    merged = { ...merged, [name]: isObject(inner) ? { ...inner, ...top } : top }
  }
  return merged
}

function clientWarning(properties: JsonObject, subject: WarningSubject, warnings: WarningList): void {
  warnings.add('client_ingestion_warning', subject, {
    message: sample(properties.$$client_ingestion_warning_message),
  })
}

const senderOf = (id: UsableId, item: JsonObject) => ({ distinctId: id.value, uuid: sentUuid(item) })

const sentUuid = (item: JsonObject): string | null => (typeof item.uuid === 'string' ? sample(item.uuid) : null)

/** The beginning of a value, to recognise it by in a warning. */
const sample = (value: Json | undefined): string =>
  storable(cutTo(typeof value === 'string' ? plainText(value) : stringifyJson(value ?? null), 200))

const kindOf = (value: Json | undefined): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
