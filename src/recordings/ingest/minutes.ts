import { consoleLineOf, isActivity, isClick, isKeypress, isMouseActivity, urlOf } from './rrweb.ts'
import type { TimedEvent } from './timed-events.ts'

/** A row of `recording_minutes`: what one upload adds to one minute of its session. */
export interface MinuteRow {
  readonly project_id: number
  readonly session_id: string
  /** Seconds since epoch. */
  readonly minute: number
  first_at: number
  last_at: number
  readonly distinct_id: readonly [at: number, id: string]
  start_url: readonly [at: number, url: string]
  readonly snapshot_source: string
  readonly lib: string
  active: bigint
  click_count: number
  keypress_count: number
  mouse_activity_count: number
  console_log_count: number
  console_warn_count: number
  console_error_count: number
  event_count: number
  bytes: number
  readonly last_received_at: number
  readonly expires_at: number
}

interface MinuteContext {
  readonly project: number
  readonly sessionId: string
  readonly distinctId: string
  readonly snapshotSource: string
  readonly lib: string
  readonly receivedAt: number
  readonly expiresAt: number
}

/** Later than any time: the earliest URL counts, and rows without one come last. */
const NEVER = Number.MAX_SAFE_INTEGER
const LONGEST_URL = 2_000

export function minutesOf(events: readonly TimedEvent[], context: MinuteContext): MinuteRow[] {
  const rows = new Map<number, MinuteRow>()
  for (const timed of events) {
    const minute = Math.floor(timed.at / 60_000) * 60
    let row = rows.get(minute)
    if (!row) {
      row = emptyRow(minute, timed.at, context)
      rows.set(minute, row)
    }
    add(row, timed, context)
  }
  return [...rows.values()]
}

const emptyRow = (minute: number, at: number, context: MinuteContext): MinuteRow => ({
  project_id: context.project,
  session_id: context.sessionId,
  minute,
  first_at: at,
  last_at: at,
  distinct_id: [at, context.distinctId],
  start_url: [NEVER, ''],
  snapshot_source: context.snapshotSource,
  lib: context.lib,
  active: 0n,
  click_count: 0,
  keypress_count: 0,
  mouse_activity_count: 0,
  console_log_count: 0,
  console_warn_count: 0,
  console_error_count: 0,
  event_count: 0,
  bytes: 0,
  last_received_at: context.receivedAt,
  expires_at: Math.floor(context.expiresAt / 1000),
})

function add(row: MinuteRow, { event, at, lineAt, lineEnd }: TimedEvent, { snapshotSource }: MinuteContext): void {
  row.event_count++
  row.bytes += lineEnd - lineAt
  if (at < row.first_at) row.first_at = at
  if (at > row.last_at) row.last_at = at
  if (isActivity(event)) row.active |= 1n << BigInt(Math.floor(at / 1000) - row.minute)
  if (isClick(event, snapshotSource)) row.click_count++
  if (isKeypress(event)) row.keypress_count++
  if (isMouseActivity(event)) row.mouse_activity_count++
  const url = urlOf(event)
  if (url !== undefined && at < row.start_url[0]) row.start_url = [at, url.slice(0, LONGEST_URL).toWellFormed()]
  const line_ = consoleLineOf(event)
  if (line_) row[`console_${line_.level}_count`]++
}
