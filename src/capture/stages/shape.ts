import { ApiError } from '../../http/errors.ts'
import { isObject, type Json, type JsonObject, plainText } from '../../lib/json.ts'
import type { CutItems } from './cut-snapshots.ts'
import { cutTo } from './text.ts'

/**
 * Stage 2: parsed JSON -> the items of the request, its key and the fields that apply to all items.
 * Array, batch object and single event are told apart by their form, whatever the path.
 */
export interface Shaped {
  readonly key: string
  readonly items: readonly Json[]
  readonly sentAt: string | number | null
  readonly historical: boolean
  readonly cut?: CutItems
}

const SEND_INSTEAD =
  'Send {"api_key": "phc_...", "event": "...", "distinct_id": "..."}, a list of such events, or {"api_key": "phc_...", "batch": [...]}.'
const nameOf = (value: Json): string =>
  value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`

/** Names the keys that were sent instead of `batch`: that helps most to find a misspelt name. */
function withoutBatch(value: JsonObject): string {
  const sent = Object.keys(value)
    .slice(0, 5)
    .map((key) => JSON.stringify(cutTo(plainText(key), 30)))
  const has = sent.length === 0 ? 'is empty' : `has ${sent.join(', ')}`
  return `The body ${has} and no batch. Send {"api_key": "phc_...", "batch": [{"event": "...", "distinct_id": "..."}]}.`
}

/** With `batchPath` an object must have its events in `batch`: a misspelt name would lose them all. */
export function shape(value: Json, query: URLSearchParams, batchPath = false): Shaped {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new ApiError('empty_batch')
    return { key: checkKey(commonKey(value)), items: value, sentAt: querySentAt(query), historical: false }
  }
  if (!isObject(value)) throw new ApiError('invalid_shape', `The body is ${nameOf(value)}. ${SEND_INSTEAD}`)
  if (Array.isArray(value.batch)) {
    if (value.batch.length === 0) throw new ApiError('empty_batch', undefined, { attr: 'batch' })
    return { key: checkKey(ownKey(value) ?? commonKey(value.batch)), items: value.batch, ...common(value, query) }
  }
  if (value.batch !== undefined && value.event === undefined)
    throw new ApiError('invalid_shape', `batch is ${nameOf(value.batch)}: send an array of events.`, { attr: 'batch' })
  if (batchPath && (value.event ?? null) === null)
    throw new ApiError('invalid_shape', withoutBatch(value), { attr: 'batch' })
  return { key: checkKey(keyOf(value)), items: [value], ...common(value, query) }
}

const common = (value: JsonObject, query: URLSearchParams) => ({
  sentAt: bodySentAt(value.sent_at) ?? querySentAt(query),
  historical: value.historical_migration === true || value.historical_migration === 'true',
})

const bodySentAt = (sent: Json | undefined): string | number | null =>
  (typeof sent === 'string' && sent !== '') || typeof sent === 'number' ? sent : null

const START_OF_2021 = Date.UTC(2021, 0, 1)

/** Milliseconds in `_` or `sent_at`. A value before 2021 is something else (seconds, a cache buster). */
function querySentAt(query: URLSearchParams): number | null {
  const text = query.get('_') ?? query.get('sent_at')
  if (text === null || !/^\d{13,14}$/.test(text)) return null
  const ms = Number(text)
  return ms >= START_OF_2021 ? ms : null
}

/** The key in the fields of one object. Different keys in one object are an error. */
export function ownKey(value: JsonObject): string | null {
  let found: string | null = null
  for (const field of ['api_key', 'token', '$token'] as const) {
    const given = value[field]
    if (given === undefined || given === null) continue
    if (typeof given !== 'string')
      throw new ApiError('invalid_api_key', `The project API key in ${field} must be a string.`, { attr: field })
    if (found !== null && found !== given) throw differentKeys()
    found = given
  }
  return found
}

/** An event's key may also be in its properties; there a value that is not a string is an ordinary property. */
function keyOf(item: JsonObject): string | null {
  const own = ownKey(item)
  if (own !== null || !isObject(item.properties)) return own
  const inside = item.properties.token
  return typeof inside === 'string' ? inside : null
}

/** The key of all items. Items may come without one; those with a key must agree. */
function commonKey(items: readonly Json[]): string | null {
  let found: string | null = null
  for (const item of items) {
    const key = isObject(item) ? keyOf(item) : null
    if (key === null || key === found) continue
    if (found !== null) throw differentKeys()
    found = key
  }
  return found
}

const differentKeys = () =>
  new ApiError('invalid_api_key', 'The request holds events for two different project API keys: send them apart.')
const KEY_CHARACTERS = 64
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/

export function checkKey(given: string | null): string {
  if (given === null) throw new ApiError('missing_api_key', undefined, { attr: 'api_key' })
  const key = plainText(given).trim()
  if (key === '') throw new ApiError('missing_api_key', 'The project API key is empty.', { attr: 'api_key' })
  if (key.startsWith('phx_'))
    throw invalidKey('This is a personal API key: send the project API key, it starts with phc_.')
  if (key.length > KEY_CHARACTERS) throw invalidKey('The project API key is longer than 64 characters.')
  if (!PRINTABLE_ASCII.test(key)) throw invalidKey('The project API key may hold visible ASCII characters only.')
  return key
}

const invalidKey = (detail: string) => new ApiError('invalid_api_key', detail, { attr: 'api_key' })
