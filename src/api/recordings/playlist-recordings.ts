import { z } from 'zod'
import { successSchema } from '../../contract/envelopes.ts'
import { sessionId } from '../../contract/fields.ts'
import { addedToPlaylistSchema, playlistRecordingsSchema } from '../../contract/resources/playlist.ts'
import {
  recordingListQuerySchema,
  recordingListSchema,
  removedRecordingsSchema,
} from '../../contract/resources/recording.ts'
import { addToPlaylist, playlistQuestion, removeFromPlaylist } from '../../recordings/index.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { validate } from '../frame/validate.ts'
import { PLAYLIST_FIELDS, playlistOf } from './playlists.ts'
import { answerRecordings } from './recording-record.ts'
import { filterFields } from './recordings.ts'

/** Which recordings are in a playlist. Adding what is in it and removing what is not are no mistakes. */
export function addPlaylistRecordingRoutes(routes: ApiRoutes): void {
  const path = 'session_recording_playlists/:short_id/recordings/'
  routes.addToProject(path, {
    GET: projectEndpoint({
      summary: 'The recordings of a playlist',
      scope: 'session_recording_playlist:read',
      rate: 'heavy',
      query: recordingListQuerySchema,
      answer: recordingListSchema,
      handle: async (call) => {
        const narrowed = filterFields(call.query)
        return answerRecordings(call, await playlistQuestion(call.sql, await playlistOf(call), narrowed))
      },
    }),
  })
  routes.addToProject(`${path}:session_recording_id/`, {
    POST: projectEndpoint({
      summary: 'Put a recording into a playlist',
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      // Fields of the playlist may come along; adding a recording changes none of them.
      body: PLAYLIST_FIELDS,
      answer: successSchema,
      exists: playlistOf,
      handle: async (call) => {
        const playlist = await playlistOf(call)
        await addToPlaylist(call.sql, playlist, [sessionOf(call.params)], call.caller.user.id)
        return { success: true }
      },
    }),
    DELETE: projectEndpoint({
      summary: 'Take a recording out of a playlist',
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      answer: successSchema,
      handle: async (call) => {
        const playlist = await playlistOf(call)
        await removeFromPlaylist(call.sql, playlist, [sessionOf(call.params)])
        return { success: true }
      },
    }),
  })
  routes.addToProject(`${path}bulk_add/`, {
    POST: projectEndpoint({
      summary: 'Put recordings into a playlist',
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      body: playlistRecordingsSchema,
      answer: addedToPlaylistSchema,
      exists: playlistOf,
      handle: async (call) => {
        const ids = call.body.session_recording_ids
        const added = await addToPlaylist(call.sql, await playlistOf(call), ids, call.caller.user.id)
        return { success: true, added_count: added, total_requested: ids.length }
      },
    }),
  })
  routes.addToProject(`${path}bulk_delete/`, {
    POST: projectEndpoint({
      summary: 'Take recordings out of a playlist',
      scope: 'session_recording_playlist:write',
      rate: 'heavy',
      body: playlistRecordingsSchema,
      answer: removedRecordingsSchema,
      exists: playlistOf,
      handle: async (call) => {
        const ids = call.body.session_recording_ids
        const removed = await removeFromPlaylist(call.sql, await playlistOf(call), ids)
        return { success: true, deleted_count: removed, total_requested: ids.length }
      },
    }),
  })
}

const sessionOf = (params: Readonly<Record<string, string>>): string =>
  validate(z.object({ session_recording_id: sessionId }), params).session_recording_id
