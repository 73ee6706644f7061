import { HOUR } from '../lib/durations.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  plainText,
  stringifyJson,
  withSortedKeys,
} from '../lib/json.ts'
import { isoTimestamp, parseTimestamp } from '../lib/timestamps.ts'
import { isUuid, uuidV5 } from '../lib/uuid.ts'
import { IDENTITY_LINES, type IdentityKind } from './lines.ts'

/**
 * Recognises a line of a file: of our own export, of PostHog's (batch exports, responses of GET events, bodies for
 * capture), of Mixpanel's or of Amplitude's.
 */
export type Recognised =
  | { readonly kind: 'event'; readonly uuid: string; readonly text: string }
  | { readonly kind: 'identity'; readonly of: IdentityKind; readonly line: unknown }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'bad'; readonly reason: string }

/** Everything in one value; more than one when it holds several events (`{"batch": [...]}`, `{"results": [...]}`). */
export function recognise(text: string, now: number): Recognised[] {
  let value: Json
  try {
    value = parseJson(text)
  } catch (error) {
    return [bad(`is not JSON: ${(error as Error).message}`)]
  }
  if (!isObject(value)) return [bad('is not a JSON object')]
  const inside = value.event === undefined ? (value.batch ?? value.results) : undefined
  if (Array.isArray(inside))
    return inside.map((item) => (isObject(item) ? one(item, now) : bad('holds something else than events')))
  return [one(value, now)]
}

const bad = (reason: string): Recognised => ({ kind: 'bad', reason })

function one(value: JsonObject, now: number): Recognised {
  if (isObject(value.footfall_export)) return { kind: 'nothing' }
  if (value.event === undefined)
    for (const of of Object.keys(IDENTITY_LINES) as IdentityKind[])
      if (isObject(value[of])) return identity(of, value[of])
  const event = typeof value.event_type === 'string' && value.event === undefined ? ofAmplitude(value) : ofOthers(value)
  if (typeof event.event !== 'string' || plainText(event.event).trim() === '') return bad('has no event name')
  const id = event.distinct_id ?? null
  if (id === null || (typeof id === 'string' && plainText(id).trim() === '')) return bad('has no distinct_id')
  if (event.timestamp === null) return bad('has no timestamp, so nobody can tell when it was')
  const at = timeOf(event.timestamp)
  if (at === null) return bad(`has a timestamp that cannot be read: ${stringifyJson(event.timestamp).slice(0, 60)}`)
  if (at > now + AHEAD_MS) return bad(`lies in the future: ${isoTimestamp(at)}`)
  const uuid = uuidOf(event.uuid) ?? uuidV5(IMPORTED, event.insertId ?? stringifyJson(withSortedKeys(value)))
  const item = {
    event: event.event,
    distinct_id: id,
    timestamp: typeof event.timestamp === 'string' ? event.timestamp : isoTimestamp(at),
    uuid,
    properties: event.properties,
  }
  const line = stringifyJson(item)
  if (Buffer.byteLength(line) > MOST_BYTES) return bad('is larger than 1 MB, and would not be stored')
  return { kind: 'event', uuid, text: line }
}

/**
 * The namespace of uuids that are derived from a line. The source gave the event none, so its content is used: the same
 * line has the same uuid in every run, and an interrupted run can be started again. Two identical lines are one event.
 */
const IMPORTED = '5d1c4bb3-9a27-4d0c-9f1e-6c0a4b7f2e11'
/** Capture accepts events a little in the future. */
const AHEAD_MS = 23 * HOUR
const MOST_BYTES = 990_000

function identity(of: IdentityKind, line: Json): Recognised {
  const read = IDENTITY_LINES[of].safeParse(line)
  if (read.success) return { kind: 'identity', of, line: read.data }
  const [issue] = read.error.issues
  return bad(`is a ${of} that cannot be read: ${issue?.path.join('.')}: ${issue?.message}`)
}

interface Draft {
  readonly event: Json | undefined
  readonly distinct_id: Json | undefined
  readonly timestamp: Json
  readonly uuid: Json | undefined
  /** The id of the event at its source, when that is not a uuid. */
  readonly insertId?: string | undefined
  readonly properties: JsonObject
}

/** Ours, PostHog's and Mixpanel's: `event` and `properties`, and some of it in either place. */
function ofOthers(value: JsonObject): Draft {
  const given = propertiesOf(value.properties)
  // Mixpanel has the time among the properties.
  if (value.timestamp === undefined && given.time !== undefined && value.distinct_id === undefined)
    return ofMixpanel(value, given)
  const properties = { ...given }
  for (const [name, top] of [
    ['$set', value.$set ?? value.set],
    ['$set_once', value.$set_once ?? value.set_once],
  ] as const) {
    const more = propertiesOf(top)
    if (Object.keys(more).length > 0 && properties[name] === undefined) properties[name] = more
  }
  if (
    typeof value.elements_chain === 'string' &&
    value.elements_chain !== '' &&
    properties.$elements_chain === undefined
  )
    properties.$elements_chain = value.elements_chain
  return {
    event: value.event,
    distinct_id: value.distinct_id ?? value.$distinct_id ?? given.distinct_id,
    timestamp: value.timestamp ?? null,
    uuid: value.uuid ?? value.id,
    properties,
  }
}

/**
 * https://developer.mixpanel.com/reference/raw-event-export: seconds in `time`, and an id that is unique with person
 * and time.
 */
function ofMixpanel(value: JsonObject, given: JsonObject): Draft {
  const { distinct_id, time, ...properties } = given
  const insertId = given.$insert_id ?? given.insert_id
  return {
    event: value.event === '$mp_web_page_view' ? '$pageview' : value.event,
    distinct_id,
    timestamp: time ?? null,
    uuid: undefined,
    insertId:
      insertId === undefined
        ? undefined
        : stringifyJson(['mixpanel', value.event ?? null, distinct_id ?? null, time ?? null, insertId]),
    properties,
  }
}

/** https://amplitude.com/docs/apis/analytics/export: times in UTC, and what is known of the user beside the event. */
function ofAmplitude(value: JsonObject): Draft {
  const insertId = value.$insert_id
  const user = propertiesOf(value.user_properties)
  return {
    event: value.event_type,
    distinct_id: value.user_id ?? value.device_id,
    timestamp: value.event_time ?? value.client_event_time ?? null,
    uuid: value.uuid,
    insertId: typeof insertId === 'string' ? stringifyJson(['amplitude', insertId]) : undefined,
    properties: {
      ...propertiesOf(value.event_properties),
      ...(Object.keys(user).length > 0 ? { $set: user } : {}),
      ...(value.device_id ? { $device_id: value.device_id } : {}),
      ...(value.ip_address ? { $ip: value.ip_address } : {}),
    },
  }
}

/** Some exports have properties as JSON text. */
function propertiesOf(given: Json | undefined): JsonObject {
  if (typeof given !== 'string') return isObject(given) ? given : {}
  try {
    const read = parseJson(given)
    return isObject(read) ? read : {}
  } catch {
    return {}
  }
}

/** Numbers are seconds or milliseconds, by their size. */
const timeOf = (time: Json): number | null =>
  typeof time === 'number' ? parseTimestamp(String(time)) : typeof time === 'string' ? parseTimestamp(time) : null

const uuidOf = (given: Json | undefined): string | null =>
  typeof given === 'string' && isUuid(given) ? given.toLowerCase() : null
