import {
  type AcceptedUpload,
  CHUNK_COLUMNS,
  type ChunkRow,
  chunkRowsAsBinary,
  type MinuteRow,
  minuteRowsAsNdjson,
} from '../../recordings/index.ts'
import type { DeadLetter } from '../shared/dead-letters.ts'
import type { RefusedRow } from '../shared/deliver.ts'
import { type Delivery, encodedRows } from '../shared/delivery.ts'

/** The inserts of some uploads, the summary last: a recording that is listed can be played. */
export function recordingInserts(uploads: readonly AcceptedUpload[], token: string): Delivery[] {
  const inserts = [
    encodedRows({
      table: 'recording_chunks',
      token: `${token}:recording_chunks`,
      columns: CHUNK_COLUMNS,
      items: uploads.flatMap(({ chunks }) => chunks),
      encode: chunkRowsAsBinary,
      textOf: textOfChunk,
    }),
    encodedRows({
      table: 'recording_minutes',
      token: `${token}:recording_minutes`,
      items: uploads.flatMap(({ minutes }) => minutes),
      encode: minuteRowsAsNdjson,
      textOf: textOfMinute,
    }),
  ]
  return inserts.filter(({ count }) => count > 0)
}

const textOfChunk = ({ text, ...row }: ChunkRow): string =>
  JSON.stringify({ ...row, hash: String(row.hash), events: Buffer.concat(text).toString('utf8') })

const textOfMinute = (row: MinuteRow): string => JSON.stringify({ ...row, active: String(row.active) })

export function refusedRow({ table, row, error }: RefusedRow): DeadLetter {
  const { project_id, session_id, minute, position } = JSON.parse(row) as MinuteRow & Partial<ChunkRow>
  return {
    project: project_id,
    position: position ?? 0,
    uuid: [table, session_id, ...(minute === undefined ? [] : [minute])].join(' '),
    reason: 'refused_by_clickhouse',
    error,
    payload: row,
  }
}
