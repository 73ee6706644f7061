import { createHash } from 'node:crypto'
import type { CapturedEvent } from '../../events/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'

/** What SDKs send as the id of somebody who agreed to no cookies. */
const NOBODY = '$posthog_cookieless'
/** Where besides the distinct id it may stand. */
const ID_PROPERTIES = ['distinct_id', '$device_id', '$anon_distinct_id'] as const

export interface Visitor {
  /** Secret, the same for everybody and a day, and then thrown away. */
  readonly salt: string
  readonly project: number
  readonly ip: string | null
  readonly userAgent: string | undefined
}

/**
 * Gives visitors without cookies an id for the day: a hash of the day's salt, their address, browser and the site. The same visitor is
 * counted once a day, and when the salt is gone nobody can tell who it was; what would tell (address, browser's full name) is not kept.
 */
export function nameCookieless(events: CapturedEvent[], visitor: Visitor): void {
  for (const [at, event] of events.entries())
    if (event.properties.$cookieless_mode === true && event.distinctId === NOBODY) events[at] = named(event, visitor)
}

function named(event: CapturedEvent, visitor: Visitor): CapturedEvent {
  const { $ip, $raw_user_agent, ...properties } = event.properties
  const distinctId = idOf(
    properties,
    textOf($ip) ?? visitor.ip ?? '',
    textOf($raw_user_agent) ?? visitor.userAgent,
    visitor,
  )
  for (const name of ID_PROPERTIES) if (properties[name] === NOBODY) properties[name] = distinctId
  return { ...event, distinctId, properties }
}

function idOf({ $host }: JsonObject, ip: string, userAgent = '', { salt, project }: Visitor): string {
  const hash = createHash('sha256').update(JSON.stringify([salt, project, ip, textOf($host) ?? '', userAgent]))
  return `cookieless_${hash.digest('base64url').slice(0, 22)}`
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
