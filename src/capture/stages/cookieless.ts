import { createHash } from 'node:crypto'
import type { CapturedEvent } from '../../events/index.ts'
import type { Json, JsonObject } from '../../lib/json.ts'

/** What SDKs send as the distinct id of a visitor who did not consent to cookies. */
const COOKIELESS_ID = '$posthog_cookieless'
/** Properties that may hold it too. */
const ID_PROPERTIES = ['distinct_id', '$device_id', '$anon_distinct_id'] as const

export interface Visitor {
  /** Secret of the day, the same for all visitors, deleted afterwards. */
  readonly salt: string
  readonly project: number
  readonly ip: string | null
  readonly userAgent: string | undefined
}

/**
 * Gives visitors without cookies an id for the day: a hash of the day's salt, their address, browser and the site. The
 * same visitor is counted once a day. After the salt is deleted the id cannot be traced back; address and full user
 * agent are not stored.
 */
export function nameCookieless(events: CapturedEvent[], visitor: Visitor): void {
  for (const [at, event] of events.entries())
    if (event.properties.$cookieless_mode === true && event.distinctId === COOKIELESS_ID)
      events[at] = named(event, visitor)
}

function named(event: CapturedEvent, visitor: Visitor): CapturedEvent {
  const { $ip, $raw_user_agent, ...properties } = event.properties
  const distinctId = idOf(
    properties,
    textOf($ip) ?? visitor.ip ?? '',
    textOf($raw_user_agent) ?? visitor.userAgent,
    visitor,
  )
  for (const name of ID_PROPERTIES) if (properties[name] === COOKIELESS_ID) properties[name] = distinctId
  return { ...event, distinctId, properties }
}

function idOf({ $host }: JsonObject, ip: string, userAgent = '', { salt, project }: Visitor): string {
  const hash = createHash('sha256').update(JSON.stringify([salt, project, ip, textOf($host) ?? '', userAgent]))
  return `cookieless_${hash.digest('base64url').slice(0, 22)}`
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
