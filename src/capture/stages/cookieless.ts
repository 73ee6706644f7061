import { createHash } from 'node:crypto'
import type { CapturedEvent } from '../../events/index.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Json, JsonObject } from '../../lib/json.ts'
import { uuidV7 } from '../../lib/uuid.ts'

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
  /** When the request came, ms since epoch. */
  readonly now?: number
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
  properties.$session_id ??= sessionOf(`${visitor.project} ${distinctId}`, visitor.now ?? Date.now())
  return { ...event, distinctId, properties }
}

const PAUSE_MS = 30 * MINUTE
const SESSIONS_KEPT = 50_000
/** Sessions of visitors who were here lately, the one that was quiet for longest first. */
const sessions = new Map<string, { readonly id: string; readonly at: number }>()

/** Such a visitor keeps no id of its session: it lasts until half an hour passes without an event. Kept in memory. */
function sessionOf(visitor: string, now: number): string {
  const known = sessions.get(visitor)
  const id = known !== undefined && now - known.at < PAUSE_MS ? known.id : uuidV7(now)
  sessions.delete(visitor)
  sessions.set(visitor, { id, at: now })
  if (sessions.size > SESSIONS_KEPT) sessions.delete(sessions.keys().next().value as string)
  return id
}

function idOf({ $host }: JsonObject, ip: string, userAgent = '', { salt, project }: Visitor): string {
  const hash = createHash('sha256').update(JSON.stringify([salt, project, ip, textOf($host) ?? '', userAgent]))
  return `cookieless_${hash.digest('base64url').slice(0, 22)}`
}

const textOf = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
