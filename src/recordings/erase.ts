import {
  and,
  type ClickHouse,
  sql as ch,
  type Fragment,
  type MutationWatch,
  moment,
  mutate,
  strings,
  uint,
} from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { MINUTE } from '../lib/durations.ts'
import { inPieces } from '../lib/in-pieces.ts'

/** Somebody waits for the answer; asked again, it follows what was started. */
const REQUEST_MS = 5 * MINUTE

/**
 * The most ids of one mutation. Its values stand in the address of the request, and its text in a node of ZooKeeper on a
 * cluster: each holds 1 MiB. An id takes up to 210 bytes.
 */
const IDS_IN_MUTATION = 2_000

/**
 * Deletes recordings permanently. The deletion is stored in Postgres first: from then on late chunks are dropped, so
 * that no part of the recording comes back. Returns how many there were.
 */
export async function eraseRecordings(
  { sql, clickhouse }: { readonly sql: Sql; readonly clickhouse: ClickHouse },
  project: number,
  sessionIds: readonly string[],
): Promise<number> {
  if (sessionIds.length === 0) return 0
  await sql`
    INSERT INTO deleted_recordings (project_id, session_id)
    SELECT ${project}, session_id FROM unnest(${sql.array([...sessionIds])}::text[]) AS session_id ON CONFLICT DO NOTHING`
  const whereOf = (ids: readonly string[]) =>
    and([ch`project_id = ${uint(project)}`, ch`session_id IN ${strings(ids)}`])
  const where = whereOf(sessionIds)
  const count = await sessionCount(
    clickhouse,
    ch`(SELECT session_id FROM recording_chunks WHERE ${where} UNION ALL SELECT session_id FROM recording_minutes WHERE ${where})`,
  )
  if (count === 0) return 0
  for (const some of inPieces(sessionIds, IDS_IN_MUTATION))
    for (const table of ['recording_chunks', 'recording_minutes'])
      await mutate(clickhouse, { table, change: ch`DELETE`, where: whereOf(some) }, { withinMs: REQUEST_MS })
  await sql`
    DELETE FROM recording_views WHERE project_id = ${project} AND session_id = ANY(${sql.array([...sessionIds])}::text[])`
  return count
}

/**
 * Deletes what was recorded of distinct ids with these SHA-256 hashes and received before a time. Later recordings
 * stay. Returns how many recordings were changed.
 */
export async function eraseRecordingsOf(
  clickhouse: ClickHouse,
  project: number,
  idHashes: readonly string[],
  before: Date,
  watch: MutationWatch = {},
): Promise<number> {
  if (idHashes.length === 0) return 0
  const theirs = recordingsOf(project, idHashes, before)
  const { rows } = await clickhouse.query<{ session_id: string }>(
    ch`SELECT DISTINCT session_id FROM recording_chunks WHERE ${theirs}`,
  )
  const sessionIds = rows.map((row) => row.session_id)
  if (sessionIds.length === 0) return 0
  // The summaries first: as long as there are chunks a retry finds both.
  for (const some of inPieces(sessionIds, IDS_IN_MUTATION)) {
    const where = and([
      ch`project_id = ${uint(project)}`,
      ch`session_id IN ${strings(some)}`,
      ch`last_received_at <= ${moment(before.getTime())}`,
    ])
    await mutate(clickhouse, { table: 'recording_minutes', change: ch`DELETE`, where }, watch)
  }
  for (const some of inPieces(idHashes, IDS_IN_MUTATION)) {
    const where = recordingsOf(project, some, before)
    await mutate(clickhouse, { table: 'recording_chunks', change: ch`DELETE`, where }, watch)
  }
  return sessionIds.length
}

/** How many recordings `eraseRecordingsOf` would change. */
export const countRecordingsOf = (
  clickhouse: ClickHouse,
  project: number,
  idHashes: readonly string[],
  before: Date,
): Promise<number> =>
  idHashes.length === 0
    ? Promise.resolve(0)
    : sessionCount(clickhouse, ch`recording_chunks WHERE ${recordingsOf(project, idHashes, before)}`)

const recordingsOf = (project: number, idHashes: readonly string[], before: Date): Fragment =>
  and([
    ch`project_id = ${uint(project)}`,
    // By hash: the command stays in ClickHouse's list of mutations, and an id is often an e-mail address.
    ch`lower(hex(SHA256(distinct_id))) IN ${strings(idHashes)}`,
    ch`received_at <= ${moment(before.getTime())}`,
  ])

async function sessionCount(clickhouse: ClickHouse, from: Fragment): Promise<number> {
  const { rows } = await clickhouse.query<{ n: number }>(ch`SELECT uniqExact(session_id) AS n FROM ${from}`)
  return rows[0]?.n ?? 0
}
