import type { Sql } from '../../engines/postgres/index.ts'

/** What `recordings_counts` of a playlist says. Nothing in it and nothing looked up yet are null, never zero. */
export interface PlaylistCounts {
  readonly saved_filters: {
    readonly count: number | null
    readonly has_more: boolean | null
    readonly watched_count: number | null
    readonly increased: boolean | null
    readonly last_refreshed_at: Date | null
  }
  readonly collection: { readonly count: number | null; readonly watched_count: number }
}

const UNKNOWN: PlaylistCounts = {
  saved_filters: { count: null, has_more: null, watched_count: null, increased: null, last_refreshed_at: null },
  collection: { count: null, watched_count: 0 },
}

interface Row {
  readonly id: number
  readonly added: number
  readonly added_watched: number
  readonly matched: number | null
  readonly matched_watched: number
  readonly has_more: boolean | null
  readonly increased: boolean | null
  readonly refreshed_at: Date | null
}

/** Counts of several playlists at once; watched is what this user has watched. */
export async function playlistCounts(
  sql: Sql,
  ids: readonly number[],
  userId: number,
): Promise<(id: number) => PlaylistCounts> {
  if (ids.length === 0) return () => UNKNOWN
  const rows = await sql<Row[]>`
    SELECT p.id, coalesce(i.added, 0) AS added, coalesce(i.watched, 0) AS added_watched, cardinality(m.session_ids) AS matched,
      (SELECT count(*) FROM recording_views v
       WHERE v.project_id = p.project_id AND v.user_id = ${userId} AND v.session_id = ANY(m.session_ids)) AS matched_watched,
      m.has_more, m.increased, m.refreshed_at
    FROM playlists p
    LEFT JOIN playlist_matches m ON m.playlist_id = p.id
    LEFT JOIN LATERAL (
      SELECT count(*) AS added, count(v.user_id) AS watched
      FROM playlist_recordings r
      LEFT JOIN recording_views v ON v.project_id = p.project_id AND v.session_id = r.session_id AND v.user_id = ${userId}
      WHERE r.playlist_id = p.id) i ON true
    WHERE p.id = ANY(${sql.array([...ids])}::int[])`
  const counts = new Map(rows.map((row) => [row.id, countsOf(row)]))
  return (id) => counts.get(id) ?? UNKNOWN
}

const countsOf = (row: Row): PlaylistCounts => ({
  saved_filters:
    row.matched === null
      ? UNKNOWN.saved_filters
      : {
          count: row.matched,
          has_more: row.has_more,
          watched_count: row.matched_watched,
          increased: row.increased,
          last_refreshed_at: row.refreshed_at,
        },
  collection: { count: row.added === 0 ? null : row.added, watched_count: row.added_watched },
})
