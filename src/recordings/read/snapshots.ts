import { and, type ClickHouse, moment, Param, sql, str, uint } from '../../engines/clickhouse/index.ts'

/** A part of a recording. Times are those of the events, in ms; the end is exclusive. */
export interface SnapshotsQuestion {
  readonly project: number
  readonly sessionId: string
  readonly windowId?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** The times and size of a chunk of a recording, without its events. */
export interface ChunkPlace {
  readonly first_timestamp: number
  readonly last_timestamp: number
  readonly position: number
  readonly part: number
  readonly bytes: number
  readonly events: number
  readonly window_id: string
  readonly has_full_snapshot: boolean
}

/** How many bytes of events are read at a time. */
const PAGE_BYTES = 4 * 1024 * 1024
const EPOCH = 0

/** The chunks of a recording in order of their first event. Does not read the events. */
export async function chunkPlaces(
  clickhouse: ClickHouse,
  asked: SnapshotsQuestion,
  signal?: AbortSignal,
): Promise<ChunkPlace[]> {
  const { rows } = await clickhouse.query<Omit<ChunkPlace, 'has_full_snapshot'> & { has_full_snapshot: number }>(
    sql`SELECT first_timestamp, last_timestamp, position, part, bytes, length(offsets) AS events, window_id, has_full_snapshot
    FROM recording_chunks WHERE ${conditions(asked)} ORDER BY first_timestamp, position, part`,
    { signal },
  )
  return rows.map((row) => ({ ...row, has_full_snapshot: row.has_full_snapshot === 1 }))
}

const conditions = ({ project, sessionId, windowId, start, end }: SnapshotsQuestion) =>
  and([
    sql`project_id = ${uint(project)}`,
    sql`session_id = ${str(sessionId)}`,
    sql`expires_at > ${moment(Math.max(Date.now(), EPOCH))}`,
    ...(windowId === undefined ? [] : [sql`window_id = ${str(windowId)}`]),
    ...(start === undefined ? [] : [sql`last_timestamp >= ${whole(start)}`]),
    ...(end === undefined ? [] : [sql`first_timestamp < ${whole(end)}`]),
  ])

const whole = (value: number) => new Param('Int64', Math.round(value))

/**
 * The events of a recording as lines of JSON, in order of time, in blocks of lines. Chunks of several windows, or of a
 * late upload, may overlap: an event is passed on when no following chunk can have an earlier one. Memory holds a page
 * and the chunks that overlap it.
 */
export async function* snapshotLines(
  clickhouse: ClickHouse,
  asked: SnapshotsQuestion,
  signal?: AbortSignal,
): AsyncGenerator<string[]> {
  const places = await chunkPlaces(clickhouse, asked, signal)
  const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = asked
  let waiting: Line[] = []
  for (let from = 0; from < places.length; ) {
    const upTo = pageEnd(places, from)
    const page = await readPage(clickhouse, asked, places.slice(from, upTo), signal)
    from = upTo
    waiting.push(...page.filter(({ timestamp }) => timestamp >= start && timestamp < end))
    waiting.sort((one, other) => one.timestamp - other.timestamp)
    const horizon = places[from]?.first_timestamp ?? Number.POSITIVE_INFINITY
    const ready = waiting.findIndex(({ timestamp }) => timestamp >= horizon)
    const passed = ready < 0 ? waiting : waiting.slice(0, ready)
    waiting = ready < 0 ? [] : waiting.slice(ready)
    if (passed.length > 0) yield passed.map(({ line }) => line)
  }
}

interface Line {
  readonly timestamp: number
  readonly line: string
}

/** At least one chunk. The first page is small: a player shows its first frame sooner. */
function pageEnd(places: readonly ChunkPlace[], from: number): number {
  const most = from === 0 ? PAGE_BYTES / 8 : PAGE_BYTES
  let upTo = from
  let bytes = 0
  do bytes += (places[upTo++] as ChunkPlace).bytes
  while (upTo < places.length && bytes + (places[upTo] as ChunkPlace).bytes <= most)
  return upTo
}

interface ChunkText {
  readonly first_timestamp: number
  readonly offsets: readonly number[]
  readonly events: string
}

async function readPage(
  clickhouse: ClickHouse,
  { project, sessionId }: SnapshotsQuestion,
  places: readonly ChunkPlace[],
  signal?: AbortSignal,
): Promise<Line[]> {
  const first = (places[0] as ChunkPlace).first_timestamp
  const last = (places.at(-1) as ChunkPlace).first_timestamp
  const keys = places.map(({ position, part }) => [position, part] as const)
  const { rows } = await clickhouse.query<ChunkText>(
    sql`SELECT first_timestamp, offsets, events FROM recording_chunks
    WHERE project_id = ${uint(project)} AND session_id = ${str(sessionId)}
      AND first_timestamp BETWEEN ${whole(first)} AND ${whole(last)}
      AND has(${new Param(
        'Array(String)',
        keys.map(([position, part]) => `${position}:${part}`),
      )}, concat(toString(position), ':', toString(part)))
    ORDER BY first_timestamp, position, part`,
    { signal },
  )
  return rows.flatMap((row) =>
    row.events.split('\n').map((line, i) => ({ timestamp: row.first_timestamp + (row.offsets[i] ?? 0), line })),
  )
}
