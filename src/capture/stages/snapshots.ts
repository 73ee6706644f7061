import type { RawItems } from '../../events/index.ts'
import { isObject, type Json, type JsonObject, plainText } from '../../lib/json.ts'
import { LIMITS } from '../limits.ts'
import { encodeSafely } from './encode-safely.ts'
import { cutTo, storable } from './text.ts'
import type { WarningList, WarningSubject } from './warning-list.ts'

/** A $snapshot event: its session and window, and its rrweb events as sent. */
export interface Snapshot {
  /** As sent; warnings about dropped items name it. */
  readonly uuid: string | null
  readonly distinctId: string
  readonly sessionId: string
  readonly windowId: string
  readonly snapshotSource: string
  readonly lib: string
  readonly items: readonly RawItems[]
}

const SESSION_ID = new RegExp(`^[A-Za-z0-9-]{1,${LIMITS.sessionIdCharacters}}$`)

export function admitSnapshot(
  properties: JsonObject,
  { distinctId, uuid }: { readonly distinctId: string; readonly uuid: string | null },
  context: { readonly userAgent: string | undefined },
  snapshots: Snapshot[],
  warnings: WarningList,
  cut?: RawItems,
): void {
  const subject = { event: '$snapshot', distinctId, uuid }
  const sessionId = properties.$session_id
  const data = properties.$snapshot_data
  if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId))
    warnings.add('recording_without_session_id', subject)
  else if (!cut && !Array.isArray(data) && !isObject(data)) warnings.add('recording_without_data', subject)
  else
    snapshots.push({
      uuid,
      distinctId,
      sessionId,
      windowId: textOr(properties.$window_id, sessionId),
      snapshotSource: textOr(properties.$snapshot_source, 'web'),
      lib: textOr(properties.$lib, libOf(context.userAgent)),
      items: [cut ?? encoded(Array.isArray(data) ? data : [data as Json], subject, warnings)],
    })
}

function encoded(items: readonly Json[], subject: WarningSubject, warnings: WarningList): RawItems {
  const texts: Buffer[] = []
  const bounds: number[] = []
  let at = 0
  for (const item of items) {
    const text = encodeSafely(item)
    if (text === null) {
      warnings.add('event_nested_too_deep', subject)
      continue
    }
    const bytes = Buffer.from(`${text},`)
    texts.push(bytes)
    bounds.push(at, at + bytes.length - 1)
    at += bytes.length
  }
  return { bytes: Buffer.concat(texts), bounds }
}

const textOr = (sent: Json | undefined, otherwise: string): string =>
  typeof sent === 'string' && sent.trim() !== '' ? storable(cutTo(plainText(sent), 200)) : otherwise

/** `posthog-ios/3.1.0` -> `posthog-ios`; browsers do not name their SDK in the user agent. */
const libOf = (userAgent: string | undefined): string =>
  userAgent?.toLowerCase().includes('posthog') ? (userAgent.split('/')[0] as string) : 'web'

/** Joins snapshots of one session and window: an SDK sends many small items at once. */
export function joinSnapshots(snapshots: readonly Snapshot[]): Snapshot[] {
  const joined = new Map<string, Snapshot & { items: RawItems[] }>()
  for (const snapshot of snapshots) {
    const key = JSON.stringify([snapshot.sessionId, snapshot.windowId, snapshot.distinctId])
    const known = joined.get(key)
    if (known) known.items.push(...snapshot.items)
    else joined.set(key, { ...snapshot, items: [...snapshot.items] })
  }
  return [...joined.values()]
}
