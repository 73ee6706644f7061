import type { z } from 'zod'
import { userObject, usersById } from '../../accounts/index.ts'
import { pageOf } from '../../contract/envelopes.ts'
import {
  type PlaylistOrder,
  playlistFieldsSchema,
  playlistListQuerySchema,
  playlistSchema,
} from '../../contract/resources/playlist.ts'
import { ApiError } from '../../http/errors.ts'
import { momentOf } from '../../insights/index.ts'
import { isObject, type Json } from '../../lib/json.ts'
import {
  createPlaylist,
  findPlaylist,
  listPlaylists,
  type Playlist,
  playlistCounts,
  readActors,
  updatePlaylist,
} from '../../recordings/index.ts'
import { notAllowed } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { readOn } from '../frame/list-positions.ts'
import { only } from '../frame/only.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { notePlaylist } from './note-playlist.ts'

export const PLAYLIST_FIELDS = playlistFieldsSchema.extend({
  filters: playlistFieldsSchema.shape.filters.superRefine((filters, context) => {
    const refused = refusedActors(filters)
    if (refused) context.addIssue({ code: 'custom', message: refused })
  }),
})

/**
 * Filters are kept as they come; but a playlist of the persons of an insight that nobody could ever find is refused at
 * once.
 */
function refusedActors(filters: Json | undefined): string | null {
  if (!isObject(filters) || filters.kind !== 'insight_actors') return null
  try {
    readActors(filters.source)
    return null
  } catch (error) {
    return `source: ${(error as Error).message}`
  }
}

export function addPlaylistRoutes(routes: ApiRoutes): void {
  routes.addToProject('session_recording_playlists/', {
    GET: projectEndpoint({
      summary: 'Playlists of session recordings, last changed first',
      scope: 'session_recording_playlist:read',
      rate: 'heavy',
      query: playlistListQuerySchema,
      answer: pageOf(playlistSchema),
      handle: async (call) => {
        const { count, playlists, hasMore } = await readOn(call, (behind) =>
          listPlaylists(call.sql, { ...questionOf(call), behind }),
        )
        return envelope(call.url, call.query, count, await playlistRecords(call, playlists), { hasMore })
      },
    }),
    POST: projectEndpoint({
      summary: 'Create a playlist',
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      body: PLAYLIST_FIELDS,
      answer: playlistSchema,
      status: 201,
      handle: async (call) => {
        const { sql, project, caller, body } = call
        const created = await sql.begin(async (tx) => {
          const playlist = await createPlaylist(tx, project.id, caller.user.id, body)
          await notePlaylist(tx, call, null, playlist)
          return playlist
        })
        return playlistRecord(call, created)
      },
    }),
  })
  const change = (summary: string) =>
    projectEndpoint({
      summary,
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      body: PLAYLIST_FIELDS,
      answer: playlistSchema,
      exists: (call) => playlistOf(call, { deletedToo: true }),
      handle: async (call) => {
        const { sql, caller, body } = call
        const playlist = await playlistOf(call, { deletedToo: true })
        const updated = await sql.begin(async (tx) => {
          const after = await updatePlaylist(tx, playlist, caller.user.id, body)
          await notePlaylist(tx, call, playlist, after)
          return after
        })
        return playlistRecord(call, updated)
      },
    })
  routes.addToProject('session_recording_playlists/:short_id/', {
    GET: projectEndpoint({
      summary: 'One playlist',
      scope: 'session_recording_playlist:read',
      rate: 'heavy',
      answer: playlistSchema,
      handle: async (call) => playlistRecord(call, await playlistOf(call)),
    }),
    PATCH: change('Change a playlist; `deleted` takes it away and brings it back'),
    PUT: change('Change a playlist, as PATCH does'),
    DELETE: projectEndpoint({
      summary: 'Refused: take a playlist away by setting `deleted`',
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      answer: notAllowed,
      handle: () => undefined,
    }),
  })
}

/** The playlist of the path, or 404. */
export async function playlistOf(
  { sql, project, params }: Pick<ProjectCall, 'sql' | 'project' | 'params'>,
  options: { deletedToo?: boolean } = {},
): Promise<Playlist> {
  const found = await findPlaylist(sql, project.id, params.short_id ?? '', options)
  if (!found) throw new ApiError('not_found')
  return found
}

function questionOf({ project, caller, query, now }: ProjectCall<z.output<typeof playlistListQuerySchema>>) {
  const time = { timezone: project.timezone, now: now().getTime() }
  const mine = query.user !== undefined && query.user !== 'false'
  return {
    project: project.id,
    createdBy: query.created_by ?? (mine ? caller.user.id : undefined),
    shortId: query.short_id,
    search: query.search,
    pinned: query.pinned,
    sessionId: query.session_recording_id,
    modifiedAfter: query.date_from ? new Date(momentOf(query.date_from, time, ['date_from'])) : undefined,
    modifiedBefore: query.date_to ? new Date(momentOf(query.date_to, time, ['date_to'])) : undefined,
    order: query.order.replace(/^-/, '') as PlaylistOrder,
    descending: query.order.startsWith('-'),
    limit: query.limit,
    offset: query.offset,
  }
}

type Teller = Pick<ProjectCall, 'sql' | 'caller'>

const playlistRecord = async (call: Teller, playlist: Playlist) => only(await playlistRecords(call, [playlist]))

async function playlistRecords({ sql, caller }: Teller, playlists: readonly Playlist[]) {
  const people = playlists.flatMap(({ created_by, last_modified_by }) => [created_by, last_modified_by])
  const users = await usersById(sql, people)
  const userOf = (id: number | null) => {
    const user = id === null ? undefined : users.get(id)
    return user ? userObject(user) : null
  }
  const countsOf = await playlistCounts(
    sql,
    playlists.map(({ id }) => id),
    caller.user.id,
  )
  return playlists.map((playlist) => ({
    id: playlist.id,
    short_id: playlist.short_id,
    name: playlist.name ?? '',
    derived_name: playlist.derived_name ?? '',
    description: playlist.description,
    pinned: playlist.pinned,
    created_at: playlist.created_at,
    created_by: userOf(playlist.created_by),
    deleted: playlist.deleted,
    filters: playlist.filters,
    last_modified_at: playlist.last_modified_at,
    last_modified_by: userOf(playlist.last_modified_by),
    recordings_counts: countsOf(playlist.id),
  }))
}
