import { RowBinary } from '../../engines/clickhouse/index.ts'
import { clickhouseTime, ndjson } from '../../events/index.ts'
import type { ChunkRow } from './chunks.ts'
import type { MinuteRow } from './minutes.ts'

/** The columns of `recording_chunks` in the order in which `chunkRowsAsBinary` writes them. */
export const CHUNK_COLUMNS = [
  'project_id',
  'session_id',
  'window_id',
  'distinct_id',
  'first_timestamp',
  'last_timestamp',
  'position',
  'part',
  'hash',
  'received_at',
  'expires_at',
  'bytes',
  'has_full_snapshot',
  'offsets',
  'urls',
  'console_levels',
  'console_messages',
  'events',
] as const

export const chunkRowsAsBinary = (rows: readonly ChunkRow[]): Buffer =>
  Buffer.concat(rows.flatMap((row) => [chunkHead(row), ...row.text]))

/** All columns before the events, which come last and need no copy. */
function chunkHead(row: ChunkRow): Buffer {
  const head = new RowBinary()
  const text = (value: string) => head.string(value)
  return head
    .uint32(row.project_id)
    .string(row.session_id)
    .string(row.window_id)
    .string(row.distinct_id)
    .int64(row.first_timestamp)
    .int64(row.last_timestamp)
    .uint64(row.position)
    .uint16(row.part)
    .uint64(row.hash)
    .int64(row.received_at)
    .uint32(row.expires_at)
    .uint32(row.bytes)
    .uint8(row.has_full_snapshot)
    .array(row.offsets, (offset) => head.uint32(offset))
    .array(row.urls, text)
    .array(row.console_levels, text)
    .array(row.console_messages, text)
    .size(row.bytes)
    .done()
}

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
