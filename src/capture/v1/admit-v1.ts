import { isObject, type Json, type JsonObject, plainText } from '../../lib/json.ts'
import type { Admitted } from '../stages/admit.ts'
import { clientUuid } from '../stages/client-uuid.ts'
import type { EventResults } from '../stages/records.ts'
import { storable } from '../stages/text.ts'
import { WarningList } from '../stages/warning-list.ts'
import { isRfc3339, type V1Headers } from './headers.ts'

/**
 * The rules of the v1 protocol: stricter than v0, with a result for each event by its uuid. Values are never repaired.
 */
export function admitV1(items: readonly Json[], headers: V1Headers): { admitted: Admitted; results: EventResults } {
  const admitted: Admitted = { events: [], snapshots: [], warnings: new WarningList() }
  const results: EventResults = {}
  for (const item of items as readonly JsonObject[]) {
    const uuid = clientUuid(item.uuid)
    if (uuid.kind !== 'valid') continue
    const event = typeof item.event === 'string' ? storable(plainText(item.event)) : ''
    const distinctId = typeof item.distinct_id === 'string' ? storable(plainText(item.distinct_id)).trim() : ''
    const reason = whyDropped(item, event, distinctId)
    // A client may send its uuid in capitals and expects the result under that spelling.
    const name = item.uuid as string
    if (reason) {
      results[name] = { result: 'drop', details: reason }
      admitted.warnings.add('event_refused', { event, distinctId, uuid: uuid.uuid }, { reason })
      continue
    }
    const personless = isPlaceholder(distinctId)
    results[name] = personless ? { result: 'warning', details: 'person_processing_disabled' } : { result: 'ok' }
    admitted.events.push({
      uuid: uuid.uuid,
      clientUuid: true,
      event,
      distinctId,
      properties: propertiesOf(item, headers, personless),
      timestamp: item.timestamp ?? null,
      offset: null,
    })
  }
  return { admitted, results }
}

const MOST_BYTES = 200

function whyDropped(item: JsonObject, event: string, distinctId: string): string | null {
  if (event.trim() === '') return 'missing_event_name'
  if (Buffer.byteLength(event) > MOST_BYTES) return 'event_name_too_long'
  if (distinctId === '') return 'missing_distinct_id'
  if (Buffer.byteLength(distinctId) > MOST_BYTES) return 'distinct_id_too_large'
  if (!isRfc3339(item.timestamp)) return 'invalid_event_timestamp'
  if (item.properties !== undefined && item.properties !== null && !isObject(item.properties))
    return 'malformed_event_properties'
  return validOptions(item.options) ? null : 'invalid_options'
}

function validOptions(options: Json | undefined): boolean {
  if (options === undefined || options === null) return true
  if (!isObject(options)) return false
  const { cookieless_mode, disable_skew_correction, process_person_profile, product_tour_id } = options
  return (
    isFlag(cookieless_mode) &&
    isFlag(disable_skew_correction) &&
    isFlag(process_person_profile) &&
    (product_tour_id === undefined ||
      product_tour_id === null ||
      typeof product_tour_id === 'string' ||
      Number.isInteger(product_tour_id))
  )
}

const isFlag = (value: Json | undefined): boolean => value === undefined || value === null || flag(value) !== undefined

/** A boolean in any of its spellings; undefined when the value is none. */
function flag(value: Json | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  if (value === 'true' || value === '1') return true
  return value === 'false' || value === '0' ? false : undefined
}

/** Fields of the v1 protocol become properties, as in all other requests. */
function propertiesOf(item: JsonObject, headers: V1Headers, personless: boolean): JsonObject {
  const options = isObject(item.options) ? item.options : {}
  const sent = isObject(item.properties) ? item.properties : {}
  const added: Record<string, Json | undefined> = {
    $session_id: item.session_id,
    $window_id: item.window_id,
    $cookieless_mode: flag(options.cookieless_mode),
    $ignore_sent_at: flag(options.disable_skew_correction),
    $process_person_profile: personless ? false : flag(options.process_person_profile),
    $product_tour_id: options.product_tour_id,
  }
  const known = Object.entries(added).filter(
    (pair): pair is [string, Json] => pair[1] !== undefined && pair[1] !== null,
  )
  return { $lib: headers.lib, $lib_version: headers.libVersion, ...sent, ...Object.fromEntries(known) }
}

const PLACEHOLDERS = new Set(
  `anonymous guest distinctid distinct_id id not_authenticated email undefined true false [object object] nan none null 0
   backend system user anonymous-user 00000000-0000-0000-0000-000000000000`.match(/\[object object\]|\S+/g),
)

const isPlaceholder = (distinctId: string): boolean =>
  PLACEHOLDERS.has(distinctId.toLowerCase().replace(/^(['"])(.*)\1$/, '$2'))
