import type { PlaylistOrder } from '../../contract/resources/playlist.ts'
import { isBehind, type Place, pageOf, type Sql } from '../../engines/postgres/index.ts'
import type { Playlist } from './playlist.ts'

const ORDER_TYPES = {
  id: 'integer',
  short_id: 'text',
  name: 'text',
  derived_name: 'text',
  description: 'text',
  pinned: 'boolean',
  created_at: 'timestamptz',
  created_by: 'integer',
  last_modified_at: 'timestamptz',
  last_modified_by: 'integer',
} as const satisfies Record<PlaylistOrder, string>

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
  /** Where the previous page ended; the offset is then ignored. */
  readonly behind?: Place | undefined
}

export async function listPlaylists(
  sql: Sql,
  asked: PlaylistQuestion,
): Promise<{ count: number; playlists: readonly Playlist[]; end: Place | null; hasMore: boolean }> {
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
  const column = sql`${sql(asked.order)}`
  const order = { column, type: ORDER_TYPES[asked.order], id: sql`id`, descending: asked.descending }
  const found = await sql<(Playlist & { readonly place: string | null })[]>`
    SELECT *, (${column})::text AS place FROM playlists
    WHERE ${where} ${asked.behind ? sql`AND ${isBehind(sql, order, asked.behind)}` : sql``}
    ORDER BY ${column} ${direction} NULLS LAST, id ${direction}
    LIMIT ${asked.limit + 1} OFFSET ${asked.behind ? 0 : asked.offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM playlists WHERE ${where}`
  const { rows: playlists, ...page } = pageOf(found, asked.limit, ({ place, id }) => [place, String(id)])
  return { count: total?.count ?? 0, playlists, ...page }
}
