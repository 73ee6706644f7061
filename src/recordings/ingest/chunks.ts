import type { LineBuffer } from './line-buffer.ts'
import { consoleLineOf, isFullSnapshot, urlOf } from './rrweb.ts'
import type { TimedEvent, TimedEvents } from './timed-events.ts'

/** A row of `recording_chunks`. */
export interface ChunkRow {
  readonly project_id: number
  readonly session_id: string
  readonly window_id: string
  readonly distinct_id: string
  readonly first_timestamp: number
  readonly last_timestamp: number
  readonly position: number
  readonly part: number
  readonly hash: bigint
  readonly received_at: number
  readonly expires_at: number
  readonly bytes: number
  readonly has_full_snapshot: 0 | 1
  readonly offsets: readonly number[]
  readonly urls: readonly string[]
  readonly console_levels: readonly string[]
  readonly console_messages: readonly string[]
  /** Lines of JSON, in pieces. */
  readonly text: readonly Buffer[]
}

type ChunkContext = Pick<
  ChunkRow,
  'project_id' | 'session_id' | 'window_id' | 'distinct_id' | 'position' | 'hash' | 'received_at' | 'expires_at'
>

/** Small enough to page through a recording with little memory, large enough to compress well. */
const CHUNK_BYTES = 1_000_000
const LARGEST_OFFSET = 2 ** 32 - 1
const LONGEST_URL = 2_000

/** Events in order of time, split into rows. */
export function chunksOf({ events, lines }: Pick<TimedEvents, 'events' | 'lines'>, context: ChunkContext): ChunkRow[] {
  const rows: ChunkRow[] = []
  let from = 0
  let length = 0
  for (const [i, { lineAt, lineEnd }] of events.entries()) {
    const size = lineEnd - lineAt + 1
    if (i > from && length + size > CHUNK_BYTES) {
      rows.push(chunkOf(events.slice(from, i), lines, context, rows.length))
      from = i
      length = 0
    }
    length += size
  }
  if (events.length > from) rows.push(chunkOf(events.slice(from), lines, context, rows.length))
  return rows
}

function chunkOf(events: readonly TimedEvent[], lines: LineBuffer, context: ChunkContext, part: number): ChunkRow {
  const first = (events[0] as TimedEvent).timestamp
  const console = events.map(({ event }) => consoleLineOf(event)).filter((line) => line !== undefined)
  const urls = new Set(events.map(({ event }) => urlOf(event)?.slice(0, LONGEST_URL).toWellFormed()))
  urls.delete(undefined)
  const text = textOf(events, lines)
  return {
    ...context,
    part,
    first_timestamp: first,
    last_timestamp: (events.at(-1) as TimedEvent).timestamp,
    bytes: text.reduce((sum, piece) => sum + piece.length, 0),
    has_full_snapshot: events.some(({ event }) => isFullSnapshot(event)) ? 1 : 0,
    offsets: events.map(({ timestamp }) => Math.min(timestamp - first, LARGEST_OFFSET)),
    urls: [...urls] as string[],
    console_levels: console.map(({ level }) => level),
    console_messages: console.map(({ message }) => message.toWellFormed()),
    text,
  }
}

/** Lines that are neighbours in the buffer are one piece; the last has no line feed. */
function textOf(events: readonly TimedEvent[], lines: LineBuffer): Buffer[] {
  const pieces: Buffer[] = []
  let from = (events[0] as TimedEvent).lineAt
  for (const [i, { lineEnd }] of events.entries()) {
    const next = events[i + 1]
    if (next?.lineAt === lineEnd + 1) continue
    pieces.push(lines.slice(from, next ? lineEnd + 1 : lineEnd))
    from = next?.lineAt ?? 0
  }
  return pieces
}
