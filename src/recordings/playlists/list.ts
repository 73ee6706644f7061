import type { Sql } from '../../engines/postgres/index.ts'
import type { Playlist } from './playlist.ts'

export const PLAYLIST_ORDERS = [
  'id',
  'short_id',
  'name',
  'derived_name',
  'description',
  'pinned',
  'created_at',
  'created_by',
  'last_modified_at',
  'last_modified_by',
] as const
export type PlaylistOrder = (typeof PLAYLIST_ORDERS)[number]

interface PlaylistQuestion {
  readonly project: number
  readonly createdBy?: number | undefined
  readonly shortId?: string | undefined
  /** Part of the name or the derived name, in any case. */
  readonly search?: string | undefined
  readonly pinned?: boolean | undefined
  readonly sessionId?: string | undefined
  /** Last changed after this and before that. */
  readonly modifiedAfter?: Date | undefined
  readonly modifiedBefore?: Date | undefined
  readonly order: PlaylistOrder
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
}

export async function listPlaylists(
  sql: Sql,
  asked: PlaylistQuestion,
): Promise<{ count: number; playlists: Playlist[] }> {
  const { createdBy, shortId, search, pinned, sessionId, modifiedAfter, modifiedBefore } = asked
  const pattern = search === undefined ? undefined : `%${search.replace(/[\\%_]/g, '\\$&')}%`
  const where = sql`
    project_id = ${asked.project} AND NOT deleted
    ${createdBy === undefined ? sql`` : sql`AND created_by = ${createdBy}`}
    ${shortId === undefined ? sql`` : sql`AND short_id = ${shortId}`}
    ${pattern === undefined ? sql`` : sql`AND (name ILIKE ${pattern} OR derived_name ILIKE ${pattern})`}
    ${pinned === undefined ? sql`` : sql`AND pinned = ${pinned}`}
    ${modifiedAfter === undefined ? sql`` : sql`AND last_modified_at > ${modifiedAfter}`}
    ${modifiedBefore === undefined ? sql`` : sql`AND last_modified_at < ${modifiedBefore}`}
    ${sessionId === undefined ? sql`` : sql`AND id IN (SELECT playlist_id FROM playlist_recordings WHERE session_id = ${sessionId})`}`
  const direction = asked.descending ? sql`DESC` : sql`ASC`
  const playlists = await sql<Playlist[]>`
    SELECT * FROM playlists WHERE ${where}
    ORDER BY ${sql(asked.order)} ${direction} NULLS LAST, id ${direction} LIMIT ${asked.limit} OFFSET ${asked.offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM playlists WHERE ${where}`
  return { count: total?.count ?? 0, playlists }
}
