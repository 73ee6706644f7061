import { DATACENTERS, deviceOf, type GeoLookup } from '../../events/index.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { ok, type PipelineEvent, type Step } from './step.ts'

/** SDKs of browsers. The agent of any other request is that of a server, which is neither a device nor a bot. */
const IN_BROWSERS = new Set<unknown>(['web', 'js', 'footfall', 'footfall-pixel'])

/**
 * Adds where the visitor is (`$geoip_*`), with what (`$browser`, `$os`, `$device_type`) unless the SDK said so, and
 * marks bots (`$is_bot`, `$bot_reason`). Nothing is dropped. Before the addresses go: the properties step may remove
 * them.
 */
export const visitorStep =
  (geo: GeoLookup): Step =>
  (event) => {
    const where = geoOf(event, geo)
    if (where !== null) addGeo(event, where)
    const agent = agentOf(event.properties)
    const device = agent === undefined ? (isOfBrowser(event) ? event.device : undefined) : deviceOf(agent)
    if (device !== undefined) addDevice(event.properties, device.properties)
    markBot(event, device?.bot ?? null, where)
    return ok()
  }

function geoOf({ properties, ip, geo }: PipelineEvent, lookup: GeoLookup): JsonObject | null {
  if (properties.$geoip_disable === true || properties.$geoip_country_code !== undefined) return null
  if (typeof properties.$ip === 'string' && properties.$ip !== ip) return lookup.find(properties.$ip)
  return geo ?? null
}

function addGeo({ properties, personProcessing }: PipelineEvent, where: JsonObject): void {
  for (const name in where) properties[name] = where[name] as string
  if (personProcessing === 'off' || properties.$process_person_profile === false) return
  const initial: JsonObject = {}
  for (const name in where) initial[`$initial_${name.slice(1)}`] = where[name] as string
  properties.$set = { ...where, ...objectOf(properties.$set) }
  properties.$set_once = { ...initial, ...objectOf(properties.$set_once) }
}

const objectOf = (value: unknown): JsonObject => (isObject(value as JsonObject) ? (value as JsonObject) : {})

const agentOf = ({ $raw_user_agent, $user_agent, $useragent }: JsonObject): string | undefined =>
  [$raw_user_agent, $user_agent, $useragent].find((agent): agent is string => typeof agent === 'string' && agent !== '')

/** Without the name of an SDK, a page it is about tells a browser. */
const isOfBrowser = ({ properties: { $lib, $current_url } }: PipelineEvent): boolean =>
  IN_BROWSERS.has($lib) || ($lib === undefined && $current_url !== undefined)

function addDevice(properties: JsonObject, device: JsonObject): void {
  if (properties.$browser !== undefined || properties.$os !== undefined || properties.$device_type !== undefined) return
  for (const name in device) properties[name] = device[name] as string
}

function markBot(event: PipelineEvent, bot: string | null, where: JsonObject | null): void {
  const { properties } = event
  if (properties.$is_bot !== undefined) return
  const asn = where?.$geoip_asn
  const hosted = typeof asn === 'number' && DATACENTERS.has(asn) && isOfBrowser(event)
  const reason = bot ?? (properties.$webdriver === true ? 'headless' : hosted ? 'datacenter' : null)
  if (reason === null) return
  properties.$is_bot = true
  properties.$bot_reason = reason
}
