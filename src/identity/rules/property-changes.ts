import { copyOf, define, exactDigits, isObject, type Json, type JsonObject } from '../../lib/json.ts'
import type { PropertyChanges } from './normalise.ts'

/** Events about the person: their changes are always written. */
const PERSON_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously', '$set'])

/**
 * Properties that change with every page. A change of only these is not written; the event has the new value anyway.
 */
const NOISE = new Set(
  (
    '$current_url $pathname $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width ' +
    '$browser $browser_version $device_type $raw_user_agent $os $os_name $os_version'
  ).split(' '),
)
const isNoise = (key: string) =>
  NOISE.has(key) || (key.startsWith('$geoip_') && key !== '$geoip_country_name' && key !== '$geoip_city_name')

/** The properties of a person after an event, or null when they do not change. */
export function changedProperties(stored: JsonObject, event: string, changes: PropertyChanges): JsonObject | null {
  if (!isWorthWriting(stored, event, changes)) return null
  let result = stored
  for (const key of Object.keys(changes.setOnce)) {
    if (Object.hasOwn(stored, key)) continue
    if (result === stored) result = copyOf(stored)
    define(result, key, changes.setOnce[key] as Json)
  }
  result = overlaid(result, changes.set)
  for (const key of changes.unset) {
    if (!Object.hasOwn(stored, key)) continue
    if (result === stored) result = copyOf(stored)
    delete result[key]
  }
  return result === stored ? null : result
}

/** Decided before anything is copied: most events change nothing but what changes with every page. */
function isWorthWriting(stored: JsonObject, event: string, { set, setOnce, unset }: PropertyChanges): boolean {
  if (PERSON_EVENTS.has(event)) return true
  for (const key of Object.keys(setOnce)) if (!Object.hasOwn(stored, key)) return true
  for (const key of Object.keys(set))
    if (!Object.hasOwn(stored, key) || !(isNoise(key) || sameJson(stored[key] as Json, set[key] as Json))) return true
  return unset.some((key) => Object.hasOwn(stored, key))
}

/** `over` wins. */
export function overlaid(under: JsonObject, over: JsonObject): JsonObject {
  let result: JsonObject | null = null
  for (const key of Object.keys(over)) {
    const value = over[key] as Json
    if (Object.hasOwn(under, key) && sameJson(under[key] as Json, value)) continue
    result ??= copyOf(under)
    define(result, key, value)
  }
  return result ?? under
}

/** Equality as in Postgres' jsonb: neither the order of keys matters nor how a number is written. */
function sameJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i] as Json))
  if (isObject(a)) {
    if (!isObject(b)) return false
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as Json, b[key] as Json))
    )
  }
  if (typeof a === 'number') return Number(exactDigits(b)) === a
  return typeof b === 'number' && Number(exactDigits(a)) === b
}
