import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import type { Playlist } from './playlist.ts'

/** Adds recordings, whether they exist yet or not; those already in it are skipped. Returns how many were added. */
export async function addToPlaylist(
  sql: Sql | TransactionSql,
  { id }: Pick<Playlist, 'id'>,
  sessionIds: readonly string[],
  userId: number,
): Promise<number> {
  const { count } = await sql`
    INSERT INTO playlist_recordings (playlist_id, session_id, added_by)
    SELECT ${id}, session_id, ${userId} FROM unnest(${sql.array([...sessionIds])}::text[]) AS session_id
    ON CONFLICT DO NOTHING`
  return count
}

/** Returns how many were in it. */
export async function removeFromPlaylist(
  sql: Sql,
  { id }: Pick<Playlist, 'id'>,
  sessionIds: readonly string[],
): Promise<number> {
  const { count } = await sql`
    DELETE FROM playlist_recordings WHERE playlist_id = ${id} AND session_id = ANY(${sql.array([...sessionIds])}::text[])`
  return count
}

/** In the order they were added, the newest first. */
export async function sessionsInPlaylist(sql: Sql, { id }: Pick<Playlist, 'id'>): Promise<string[]> {
  const rows = await sql<{ session_id: string }[]>`
    SELECT session_id FROM playlist_recordings WHERE playlist_id = ${id} ORDER BY added_at DESC, session_id`
  return rows.map((row) => row.session_id)
}
