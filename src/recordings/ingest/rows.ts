import { clickhouseTime, ndjson } from '../../events/index.ts'
import type { ChunkRow } from './chunks.ts'
import type { MinuteRow } from './minutes.ts'

export const chunkRowsAsNdjson = (rows: readonly ChunkRow[]): Buffer =>
  ndjson(rows.map((row) => ({ ...row, received_at: clickhouseTime(row.received_at) })))

export const minuteRowsAsNdjson = (rows: readonly MinuteRow[]): Buffer =>
  ndjson(
    rows.map((row) => ({
      ...row,
      first_at: clickhouseTime(row.first_at),
      last_at: clickhouseTime(row.last_at),
      last_received_at: clickhouseTime(row.last_received_at),
      active: row.active.toString(),
    })),
  )
