import { HOUR } from '../../lib/durations.ts'
import { isoTimestamp, parseTimestamp } from '../../lib/timestamps.ts'
import { ok, type PipelineEvent, type StepResult, warn } from './step.ts'

const FUTURE_LIMIT_MS = 23 * HOUR
/** A sent_at before this is a clock that was never set, or seconds sent as milliseconds. */
const SENT_AT_FROM = Date.UTC(2021, 0, 1)
/** What a DateTime64 column can hold. */
const EARLIEST = Date.UTC(1900, 0, 1)
const LATEST = Date.UTC(2299, 11, 31, 23, 59, 59, 999)

/**
 * Decides when the event happened. The client's clock may be wrong: the difference between its sent_at and our receive
 * time corrects it. `offset` (ms before now) has priority; a time in the far future and one that cannot be parsed
 * become the receive time.
 */
export function timestampStep(event: PipelineEvent): StepResult {
  const now = event.receivedAt
  const offset = event.rawOffset
  if (typeof offset === 'number' && Number.isFinite(offset)) return clampTimestamp(event, now - offset)
  if (event.rawTimestamp === null) return clampTimestamp(event, now)

  const sent = typeof event.rawTimestamp === 'string' ? parseTimestamp(event.rawTimestamp) : null
  if (sent === null) {
    event.timestamp = now
    return ok(warn(event, 'timestamp_unparsable', { timestamp: event.rawTimestamp, used: isoTimestamp(now) }))
  }
  const sentAt = event.properties.$ignore_sent_at === true ? null : sentAtOf(event)
  return clampTimestamp(event, sentAt === null ? sent : sent - (sentAt - now))
}

function clampTimestamp(event: PipelineEvent, timestamp: number): StepResult {
  const now = event.receivedAt
  if (timestamp > now + FUTURE_LIMIT_MS) {
    event.timestamp = now
    return ok(
      warn(event, 'timestamp_clamped', {
        timestamp: inRange(timestamp) ? isoTimestamp(timestamp) : String(timestamp),
        used: isoTimestamp(now),
      }),
    )
  }
  event.timestamp = inRange(timestamp) ? timestamp : 0
  return inRange(timestamp)
    ? ok()
    : ok(warn(event, 'timestamp_clamped', { timestamp: event.rawTimestamp, used: isoTimestamp(0) }))
}

const inRange = (timestamp: number) => timestamp >= EARLIEST && timestamp <= LATEST

/** The client's clock when it sent the request, if it can be meant. */
export function sentAtOf({ sentAt }: PipelineEvent): number | null {
  const parsed = typeof sentAt === 'string' ? parseTimestamp(sentAt) : sentAt
  return parsed !== null && parsed >= SENT_AT_FROM ? parsed : null
}
