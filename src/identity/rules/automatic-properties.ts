import { copyOf, isObject, type Json, type JsonObject } from '../../lib/json.ts'

/**
 * Event properties that also describe the person: the newest value under their own name, the first one ever under
 * `$initial_`.
 */
const COPIED = (
  '$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname $os ' +
  '$os_version $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width $raw_user_agent ' +
  'utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid wbraid fbclid ' +
  'msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid'
)
  .split(' ')
  .map((key) => ({ key, initial: `$initial_${key.replace('$', '')}` }))

const WITHOUT_COPIES = new Set(['$snapshot', '$performance_event'])

/**
 * The event's `$set` and `$set_once`, extended by its other properties. Values that the client set itself win.
 * Null when there is nothing to add.
 */
export function withAutomaticProperties(
  event: string,
  timestamp: number,
  properties: JsonObject,
): { $set: JsonObject; $set_once: JsonObject } | null {
  if (WITHOUT_COPIES.has(event)) return null
  let set: JsonObject | null = null
  let once: JsonObject | null = null
  const add = (key: string, initial: string, value: Json) => {
    set ??= objectOf(properties.$set)
    once ??= objectOf(properties.$set_once)
    if (!(key in set)) set[key] = value
    if (!(initial in once)) once[initial] = value
  }
  for (const { key, initial } of COPIED) {
    const value = properties[key]
    if (value !== undefined) add(key, initial, value)
  }
  const osName = properties.$os_name
  if (osName !== undefined) add('$os', '$initial_os', osName)
  if (event === 'survey shown') {
    set ??= objectOf(properties.$set)
    once ??= objectOf(properties.$set_once)
    if (!('$survey_last_seen_date' in set)) set.$survey_last_seen_date = new Date(timestamp).toISOString()
  }
  return set && once ? { $set: set, $set_once: once } : null
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? copyOf(value) : {})
