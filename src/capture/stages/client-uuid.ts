import type { Json } from '../../lib/json.ts'
import { isUuid } from '../../lib/uuid.ts'

type ClientUuid = { kind: 'absent' } | { kind: 'valid'; uuid: string } | { kind: 'invalid' }

const BARE = /^(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** An event's uuid as sent, in the one spelling (lower case, hyphens) that recognises retries. Any version is valid. */
export function clientUuid(sent: Json | undefined): ClientUuid {
  if (sent === undefined || sent === null || sent === '') return { kind: 'absent' }
  if (typeof sent !== 'string') return { kind: 'invalid' }
  if (isUuid(sent)) return { kind: 'valid', uuid: sent.toLowerCase() }
  const parts = BARE.exec(sent.trim())
  return parts ? { kind: 'valid', uuid: parts.slice(1).join('-').toLowerCase() } : { kind: 'invalid' }
}
