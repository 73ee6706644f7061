import { HOUR } from '../../lib/durations.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamps.ts'
import { type EventDraft, ok, type StepResult, warn } from './step.ts'

const FUTURE_LIMIT_MS = 23 * HOUR
/** A sent_at before this is a clock that was never set, or seconds sent as milliseconds. */
const SENT_AT_FROM = Date.UTC(2021, 0, 1)
/** What a DateTime64 column can hold. */
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2299, 11, 31, 23, 59, 59, 999)

/**
 * When did it happen? The client's clock may be wrong: the distance between its sent_at and our receive time corrects it.
 * `offset` (ms before now) beats everything; the far future and what cannot be read become the receive time.
 */
export function timestampStep(draft: EventDraft): StepResult {
  const now = draft.receivedAt
  const offset = draft.rawOffset
  if (typeof offset === 'number' && Number.isFinite(offset)) return settle(draft, now - offset)
  if (draft.rawTimestamp === null) return settle(draft, now)

  const sent = typeof draft.rawTimestamp === 'string' ? parseTimestamp(draft.rawTimestamp) : null
  if (sent === null) {
    draft.timestamp = now
    return ok(warn(draft, 'timestamp_unparsable', { timestamp: draft.rawTimestamp, used: isoTimestamp(now) }))
  }
  const sentAt = draft.properties.$ignore_sent_at === true ? null : sentAtOf(draft)
  return settle(draft, sentAt === null ? sent : sent - (sentAt - now))
}

function settle(draft: EventDraft, timestamp: number): StepResult {
  const now = draft.receivedAt
  if (timestamp > now + FUTURE_LIMIT_MS) {
    draft.timestamp = now
    return ok(
      warn(draft, 'timestamp_clamped', {
        timestamp: inRange(timestamp) ? isoTimestamp(timestamp) : String(timestamp),
        used: isoTimestamp(now),
      }),
    )
  }
  draft.timestamp = inRange(timestamp) ? timestamp : 0
  return inRange(timestamp)
    ? ok()
    : ok(warn(draft, 'timestamp_clamped', { timestamp: draft.rawTimestamp, used: isoTimestamp(0) }))
}

const inRange = (timestamp: number) => timestamp >= EARLIEST && timestamp <= LATEST

/** The client's clock when it sent the request, if it can be meant. */
export function sentAtOf({ sentAt }: EventDraft): number | null {
  const parsed = typeof sentAt === 'string' ? parseTimestamp(sentAt) : sentAt
  return parsed !== null && parsed >= SENT_AT_FROM ? parsed : null
}
