/** A flag before and after what a client sent. */
import { InvalidInput } from '../../lib/invalid-input.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../lib/json.ts'

/** What people decide about a flag. */
export interface FlagState {
  readonly key: string
  readonly name: string
  readonly filters: Json
  readonly active: boolean
  readonly archived: boolean
  readonly deleted: boolean
  readonly ensure_experience_continuity: boolean
  readonly evaluation_runtime: 'client' | 'server' | 'all' | null
  readonly bucketing_identifier: 'distinct_id' | 'device_id' | null
  readonly evaluation_contexts: readonly string[]
  readonly tags: readonly string[]
  readonly is_remote_configuration: boolean
  readonly has_encrypted_payloads: boolean
}

/** What a client sends of it; null where that means "no". */
export type FlagFields = { readonly [K in keyof FlagState]?: FlagState[K] | null | undefined } & {
  /** Of one condition for everybody, when there are no filters. */
  readonly rollout_percentage?: number | null | undefined
}

const KEY = /^[A-Za-z0-9_-]+$/

export function startState(fields: FlagFields): FlagState {
  const { key, rollout_percentage = null } = fields
  if (typeof key !== 'string' || key === '') throw new InvalidInput('Send the key of the flag.', ['key'], 'required')
  const everybody = { groups: [{ properties: [], rollout_percentage }] }
  return nextState(
    {
      key,
      name: '',
      filters: {},
      active: true,
      archived: false,
      deleted: false,
      ensure_experience_continuity: false,
      evaluation_runtime: null,
      bucketing_identifier: null,
      evaluation_contexts: [],
      tags: [],
      is_remote_configuration: false,
      has_encrypted_payloads: false,
    },
    { ...fields, filters: fields.filters ?? everybody },
  )
}

export function nextState(before: FlagState, fields: FlagFields): FlagState {
  const key = fields.key ?? before.key
  // A key from elsewhere (an import) may stay as it is; a new one may not be like it.
  if (key !== before.key || fields.key !== undefined) checkKey(key)
  return {
    key,
    name: fields.name ?? before.name,
    filters: fields.filters === undefined ? before.filters : merged(before.filters, fields.filters),
    active: fields.active ?? before.active,
    archived: fields.archived ?? before.archived,
    deleted: fields.deleted ?? before.deleted,
    ensure_experience_continuity: kept(fields.ensure_experience_continuity, before.ensure_experience_continuity, false),
    evaluation_runtime: kept(fields.evaluation_runtime, before.evaluation_runtime, null),
    bucketing_identifier: kept(fields.bucketing_identifier, before.bucketing_identifier, null),
    evaluation_contexts: unique(fields.evaluation_contexts ?? before.evaluation_contexts),
    tags: unique(fields.tags ?? before.tags),
    is_remote_configuration: kept(fields.is_remote_configuration, before.is_remote_configuration, false),
    has_encrypted_payloads: kept(fields.has_encrypted_payloads, before.has_encrypted_payloads, false),
  }
}

function checkKey(key: string): void {
  if (!KEY.test(key))
    throw new InvalidInput(
      `The key of a flag consists of letters, digits, hyphens and underscores; ${JSON.stringify(key)} does not.`,
      ['key'],
      'invalid_key',
    )
}

const kept = <T>(sent: T | null | undefined, before: T, none: T): T =>
  sent === undefined ? before : sent === null ? none : sent
const unique = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '')

/** By the keys of the document: `{groups}` alone keeps variants and payloads. */
function merged(before: Json, sent: Json): Json {
  if (!isObject(sent)) return sent
  const { payloads, ...rest } = { ...(isObject(before) ? before : {}), ...sent }
  const document = { ...rest, ...(payloads === undefined ? {} : { payloads: payloadTexts(payloads) }) }
  if (UNSTORABLE.test(JSON.stringify(document)))
    throw new InvalidInput('Texts may hold neither null characters nor halves of characters.', ['filters'])
  return document
}

/** As JSON writes a null character and a half of a character. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

/** SDKs parse payloads, so they are kept as the text of JSON; other JSON becomes such a text. */
function payloadTexts(payloads: Json): Json {
  if (!isObject(payloads)) return payloads
  const texts: JsonObject = {}
  for (const [key, payload] of Object.entries(payloads))
    texts[key] = payload === null || typeof payload === 'string' ? payload : stringifyJson(payload)
  return texts
}
