/**
 * A person's first values of what events say about browsers and campaigns are kept as `$initial_...`. Who is not stored
 * yet has no such property, so that the current value counts as the first.
 */
import type { Json, JsonObject } from '../../lib/json.ts'

const AUTOMATIC = [
  'app_build',
  'app_name',
  'app_namespace',
  'app_version',
  'browser',
  'browser_version',
  'device_type',
  'current_url',
  'pathname',
  'os',
  'os_version',
  'referring_domain',
  'referrer',
  'screen_height',
  'screen_width',
  'viewport_height',
  'viewport_width',
  'raw_user_agent',
]
const CAMPAIGN = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'gclid',
  'gad_source',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'msclkid',
  'twclid',
  'li_fat_id',
  'mc_cid',
  'igshid',
  'ttclid',
  'rdt_cid',
  'epik',
  'qclid',
  'sccid',
  'irclid',
  '_kx',
]

const SOURCES: ReadonlyMap<string, string> = new Map([
  ...AUTOMATIC.map((name) => [`$initial_${name}`, `$${name}`] as const),
  ...CAMPAIGN.map((name) => [`$initial_${name}`, name] as const),
])

/** The value a property has for a flag: as it was sent, else as it is stored. */
export function propertyOf(key: string, sent: JsonObject, stored: JsonObject | undefined): Json | undefined {
  const value = valueIn(key, sent, stored)
  if (value !== undefined || !key.startsWith('$initial_')) return value
  const source = SOURCES.get(key)
  return source === undefined ? undefined : valueIn(source, sent, stored)
}

function valueIn(key: string, sent: JsonObject, stored: JsonObject | undefined): Json | undefined {
  if (Object.hasOwn(sent, key)) return sent[key]
  return stored !== undefined && Object.hasOwn(stored, key) ? stored[key] : undefined
}
