import { randomInt } from 'node:crypto'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type Json, stringifyJson } from '../../lib/json.ts'

/** A collection of recordings: put together by hand, matched by filters, or both. */
export interface Playlist {
  readonly id: number
  readonly project_id: number
  readonly short_id: string
  readonly name: string | null
  readonly derived_name: string | null
  readonly description: string
  readonly pinned: boolean
  readonly deleted: boolean
  readonly filters: Json
  readonly created_at: Date
  readonly created_by: number | null
  readonly last_modified_at: Date
  readonly last_modified_by: number | null
}

/** The fields that a client may write. Undefined ones stay, or get their default. */
export interface PlaylistFields {
  readonly name?: string | null | undefined
  readonly derived_name?: string | null | undefined
  readonly description?: string | undefined
  readonly pinned?: boolean | undefined
  readonly deleted?: boolean | undefined
  readonly filters?: Json | undefined
}

type Db = Sql | TransactionSql

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const shortId = (): string => Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

export async function createPlaylist(
  sql: Db,
  project: number,
  userId: number,
  fields: PlaylistFields,
): Promise<Playlist> {
  for (;;) {
    const [created] = await sql<Playlist[]>`
      INSERT INTO playlists ${sql({
        project_id: project,
        short_id: shortId(),
        created_by: userId,
        last_modified_by: userId,
        ...given(fields),
      })}
      ON CONFLICT (project_id, short_id) DO NOTHING RETURNING *`
    if (!created) continue
    return fields.filters === undefined ? created : writeFilters(sql, created.id, fields.filters)
  }
}

/** With `deletedToo` it also finds deleted playlists, so that they can be restored. */
export async function findPlaylist(
  sql: Db,
  project: number,
  short: string,
  { deletedToo = false } = {},
): Promise<Playlist | undefined> {
  const [found] = await sql<Playlist[]>`
    SELECT * FROM playlists WHERE project_id = ${project} AND short_id = ${short} AND (${deletedToo} OR NOT deleted)`
  return found
}

export async function findPlaylistById(sql: Db, id: number): Promise<Playlist | undefined> {
  const [found] = await sql<Playlist[]>`SELECT * FROM playlists WHERE id = ${id} AND NOT deleted`
  return found
}

/** `last_modified_*` changes when name, description or filters were sent, even with equal values. */
export async function updatePlaylist(
  sql: Db,
  playlist: Playlist,
  userId: number,
  fields: PlaylistFields,
): Promise<Playlist> {
  const modified = fields.name !== undefined || fields.description !== undefined || fields.filters !== undefined
  const changes = { ...given(fields), ...(modified ? { last_modified_by: userId } : {}) }
  if (Object.keys(changes).length === 0) return playlist
  const [updated] = await sql<Playlist[]>`
    UPDATE playlists SET ${sql(changes)}, last_modified_at = CASE WHEN ${modified} THEN clock_timestamp() ELSE last_modified_at END
    WHERE id = ${playlist.id} RETURNING *`
  return fields.filters === undefined ? (updated as Playlist) : writeFilters(sql, playlist.id, fields.filters)
}

/** New filters: the matches of the old ones are no longer valid. */
async function writeFilters(sql: Db, id: number, filters: Json): Promise<Playlist> {
  const text = filters === null ? null : stringifyJson(filters)
  const [updated] = await sql<Playlist[]>`
    UPDATE playlists SET filters = ${text}::text::json WHERE id = ${id} RETURNING *`
  await sql`DELETE FROM playlist_matches WHERE playlist_id = ${id}`
  return updated as Playlist
}

const given = ({ filters: _, ...fields }: PlaylistFields): Record<string, string | boolean | null> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
