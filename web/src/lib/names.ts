import { asText } from './as-text.ts'

/** Display names for the API's names. Maps, because an event may be called `constructor`. */
const EVENTS = new Map(
  Object.entries({
    $pageview: 'Page view',
    $pageleave: 'Page leave',
    $screen: 'Screen view',
    $identify: 'Identify',
    $create_alias: 'Alias',
    $groupidentify: 'Group identify',
    $autocapture: 'Autocapture',
    $set: 'Set person properties',
    $rageclick: 'Rage click',
    $dead_click: 'Dead click',
    $web_vitals: 'Web vitals',
    $exception: 'Exception',
    $feature_flag_called: 'Flag called',
    'survey sent': 'Survey sent',
    'survey shown': 'Survey shown',
    'survey dismissed': 'Survey dismissed',
  }),
)
const PROPERTIES = new Map(
  Object.entries({
    $current_url: 'Current URL',
    $pathname: 'Path',
    $host: 'Host',
    $browser: 'Browser',
    $browser_version: 'Browser version',
    $os: 'Operating system',
    $device_type: 'Device type',
    $referrer: 'Referrer',
    $referring_domain: 'Referring domain',
    $session_id: 'Session',
    $session_duration: 'Session duration',
    $channel_type: 'Channel',
    $is_bounce: 'Bounced',
    $pageview_count: 'Views in the session',
    $autocapture_count: 'Clicks in the session',
    $entry_pathname: 'Entry page',
    $end_pathname: 'Exit page',
    $entry_current_url: 'Entry URL',
    $entry_referring_domain: 'Source of the session',
    $entry_utm_source: 'UTM source of the session',
    $entry_utm_medium: 'UTM medium of the session',
    $entry_utm_campaign: 'UTM campaign of the session',
    $lib: 'Library',
    $lib_version: 'Library version',
    $screen_name: 'Screen',
    $survey_id: 'Survey',
    $survey_response: 'Survey response',
    $ip: 'IP address',
    $initial_referring_domain: 'First referring domain',
    $initial_current_url: 'First URL',
    $geoip_country_name: 'Country',
    $geoip_country_code: 'Country code',
    $creator_event_uuid: 'Created by event',
    $groups: 'Groups',
    $feature_flag: 'Flag',
    $feature_flag_response: 'Value of the flag',
    $active_feature_flags: 'Active flags',
  }),
)

export const eventName = (name: string | null | undefined): string =>
  name === null || name === undefined ? 'Any event' : (EVENTS.get(name) ?? name)
export const propertyName = (name: string): string =>
  PROPERTIES.get(name) ??
  (name.startsWith('$feature/') ? `Flag ${name.slice(9)}` : undefined) ??
  (name.startsWith('$initial_')
    ? `First ${propertyName(`$${name.slice(9)}`)
        .replace(/^\$/, '')
        .toLowerCase()}`
    : name)

export const breakdownName = (value: unknown): string => {
  if (Array.isArray(value)) {
    const names = value.map(breakdownName)
    return names.every((name) => name === 'Other') ? 'Other' : names.join(' · ')
  }
  if (value === '$$_posthog_breakdown_null_$$' || value === null || value === '') return '(none)'
  if (value === '$$_posthog_breakdown_other_$$') return 'Other'
  if (value === '$direct') return 'Direct'
  const range = RANGE.exec(asText(value))
  return range ? `${range[1]} to ${range[2]}` : asText(value)
}

/** What a part of an answer is of. A cohort is answered by its id, with its name beside it. */
export function partName(part: { readonly breakdown_value?: unknown; readonly breakdown_name?: string }): string {
  const { breakdown_value: value, breakdown_name: name } = part
  if (name === undefined) return breakdownName(value)
  return value === 'all' ? 'Everyone' : name
}

/** A range of numbers, as breakdowns into ranges name it: [0,9.5]. */
const RANGE = /^\[(-?\d[\d.e+-]*),(-?\d[\d.e+-]*)\]$/

const REGIONS = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** "DE" is Germany; an unknown code stays as it is. */
export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (REGIONS.of(code) ?? code) : code)

/** When a person was last seen; without that, when it was created. */
export const lastSeenOf = ({
  created_at,
  last_seen_at,
}: {
  created_at?: string | null
  last_seen_at?: string | null
}): string | null => {
  if (!last_seen_at || !created_at) return last_seen_at ?? created_at ?? null
  return Date.parse(last_seen_at) > Date.parse(created_at) ? last_seen_at : created_at
}

const UUID_LIKE = /^[0-9a-z]+(-[0-9a-z]+){4}$/i

/** A person without a name is shown by the beginning of an id. */
export function personName(person: { name: unknown }): string {
  const name = asText(person.name)
  return UUID_LIKE.test(name) ? `Anonymous ${name.slice(0, 8)}` : name
}

/** The name of a user; empty when the account is deleted. */
export const userName = (user: { first_name: string; email: string } | null): string =>
  user?.first_name || user?.email || ''

/** What one group of a type is called, and several: as somebody named them, else from the name on the wire. */
export function groupWords(type: {
  group_type: string
  name_singular: string | null
  name_plural: string | null
}): readonly [one: string, many: string] {
  const one = type.name_singular || type.group_type
  return [one, type.name_plural || pluralOf(one)]
}

const pluralOf = (word: string): string => (/[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`)

export const groupName = ({
  group_key,
  group_properties,
}: {
  group_key: string
  group_properties: Record<string, unknown>
}): string => {
  const { name } = group_properties
  return typeof name === 'string' && name !== '' ? name : group_key
}
