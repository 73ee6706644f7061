import { createHash } from 'node:crypto'
import type { OpenedRecording, Warning, WarningType } from '../../events/index.ts'
import { DAY } from '../../lib/durations.ts'
import { type ChunkRow, chunksOf } from './chunks.ts'
import { type MinuteRow, minutesOf } from './minutes.ts'
import { timedEvents } from './timed-events.ts'

/** One upload from the log, as rows for the tables. */
export interface AcceptedUpload {
  readonly project: number
  readonly sessionId: string
  readonly distinctId: string
  readonly receivedAt: number
  readonly position: number
  readonly hash: bigint
  readonly chunks: readonly ChunkRow[]
  readonly minutes: readonly MinuteRow[]
  readonly warnings: readonly Warning[]
}

/** The last time that ClickHouse's DateTime can store, in the year 2106. */
const LAST_MOMENT = (2 ** 32 - 1) * 1000

/** Turns an upload into rows. The same payload always gives the same rows. */
export function acceptUpload(
  { head, payload, itemsAt }: OpenedRecording,
  position: number,
  retentionDays: number,
): AcceptedUpload {
  if (itemsAt < 0) throw new Error('the record holds no items')
  const { project, sessionId, windowId, distinctId, snapshotSource, lib, receivedAt } = head
  const expiresAt = Math.min(receivedAt + retentionDays * DAY, LAST_MOMENT)
  const hash = hashOf(payload.subarray(itemsAt), windowId)
  const timed = timedEvents(payload, itemsAt, receivedAt)
  const { events, invalid, unreadable, clockOff } = timed
  const chunks = chunksOf(timed, {
    project_id: project,
    session_id: sessionId,
    window_id: windowId,
    distinct_id: distinctId,
    position,
    hash,
    received_at: receivedAt,
    expires_at: Math.floor(expiresAt / 1000),
  })
  const minutes = minutesOf(events, { project, sessionId, distinctId, snapshotSource, lib, receivedAt, expiresAt })
  const warn = (type: WarningType, count: number): Warning[] =>
    count === 0 ? [] : [{ type, event: '$snapshot', distinctId, uuid: null, details: { session_id: sessionId }, count }]
  return {
    project,
    sessionId,
    distinctId,
    receivedAt,
    position,
    hash,
    chunks,
    minutes,
    warnings: [
      ...warn('recording_item_invalid', invalid),
      ...warn('recording_item_unreadable', unreadable),
      ...warn('recording_clock_off', clockOff ? 1 : 0),
    ],
  }
}

/** Identifies an upload, whenever it arrives: by the text of the items, and their window. */
function hashOf(items: Buffer, windowId: string): bigint {
  const digest = createHash('sha1').update(windowId).update('\0').update(items).digest()
  return digest.readBigUInt64BE()
}
