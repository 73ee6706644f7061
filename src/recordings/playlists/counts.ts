import type { Sql } from '../../engines/postgres/index.ts'

/**
 * `recordings_counts` of a playlist, in integers only. Counts of its filters are left out until they were looked up.
 */
export interface PlaylistCounts {
  readonly saved_filters: {
    readonly count?: number
    /** 1 for yes, 0 for no. */
    readonly has_more?: number
    readonly watched_count?: number
    /** 1 for yes, 0 for no. */
    readonly increased?: number
    /** Seconds since 1970. */
    readonly last_refreshed_at?: number
  }
  readonly collection: { readonly count: number; readonly watched_count: number }
}

const UNKNOWN: PlaylistCounts = { saved_filters: {}, collection: { count: 0, watched_count: 0 } }

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

/** Counts of several playlists at once; "watched" means by this user. */
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
          has_more: Number(row.has_more),
          watched_count: row.matched_watched,
          increased: Number(row.increased),
          last_refreshed_at: Math.floor(Number(row.refreshed_at) / 1000),
        },
  collection: { count: row.added, watched_count: row.added_watched },
})
