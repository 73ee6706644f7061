import type { Project } from '../../accounts/index.ts'
import { sessionId } from '../../contract/fields.ts'
import { sharedRecordingSchema, sharedSchema, snapshotsQuerySchema } from '../../contract/resources/recording.ts'
import { ApiError } from '../../http/errors.ts'
import {
  blocksOf,
  chunkPlaces,
  findPlaylistById,
  findRecordings,
  type Playlist,
  playlistQuestion,
  type Recording,
  recordingsById,
} from '../../recordings/index.ts'
import { streamOf } from '../frame/answer.ts'
import type { PublicCall } from '../frame/context.ts'
import { type ApiRoutes, publicEndpoint } from '../frame/route.ts'
import { openPublicLink } from '../shares/public-link.ts'
import { recordingsContext } from './recording-record.ts'
import { partOf, sendSnapshots } from './recording-snapshots.ts'

/**
 * What a public link shows: the recordings it speaks of, or which page, to look at and nothing else. Nothing about persons, ids or
 * viewers leaves by this way, and a link that does not work says no more than that.
 */
export function addSharedRecordingRoutes(routes: ApiRoutes): void {
  routes.add('/api/shared/:token/', {
    GET: publicEndpoint({
      summary: 'What a public link shows',
      answer: sharedSchema,
      handle: async (call) => {
        const { share, project } = await openPublicLink(call)
        if (share.page === 'web') return ofWebAnalytics(project)
        const { playlist, recordings } = await openShare(call)
        const about = playlist
          ? { name: playlist.name ?? playlist.derived_name, description: playlist.description }
          : null
        return {
          kind: playlist ? 'playlist' : 'recording',
          playlist: about,
          web_analytics: null,
          results: recordings.map(publicRecord),
        }
      },
    }),
  })
  routes.add('/api/shared/:token/recordings/:session_recording_id/', {
    GET: publicEndpoint({
      summary: 'One recording behind a public link',
      answer: sharedRecordingSchema,
      handle: async (call) => {
        const { project, recording } = await sharedRecording(call)
        const asked = { project: project.id, sessionId: recording.session_id }
        return { ...publicRecord(recording), blocks: blocksOf(await chunkPlaces(call.clickhouse, asked, call.signal)) }
      },
    }),
  })
  routes.add('/api/shared/:token/recordings/:session_recording_id/snapshots/', {
    GET: publicEndpoint({
      summary: 'The rrweb events of a recording behind a public link',
      query: snapshotsQuerySchema,
      answer: streamOf('application/x-ndjson', 'application/json'),
      handle: async (call) => {
        const { project, recording } = await sharedRecording(call)
        return sendSnapshots(call, { project: project.id, sessionId: recording.session_id, ...partOf(call.query) })
      },
    }),
  })
}

/** The page asks for its numbers itself (`web-analytics/shared-web.ts`). */
const ofWebAnalytics = ({ name, timezone }: Project) => ({
  kind: 'web_analytics' as const,
  playlist: null,
  web_analytics: { name, timezone },
  results: [],
})

type Visit = Pick<PublicCall, 'sql' | 'clickhouse' | 'now' | 'signal' | 'params' | 'reply'>

async function openShare(
  call: Visit,
): Promise<{ project: Project; playlist: Playlist | null; recordings: readonly Recording[] }> {
  const { share, project } = await openPublicLink(call)
  const context = await recordingsContext({ ...call, project, caller: null })
  if (share.session_id !== null) {
    const recording = (await recordingsById(context, [share.session_id])).get(share.session_id)
    if (!recording) throw new ApiError('not_found')
    return { project, playlist: null, recordings: [recording] }
  }
  const playlist = share.playlist_id === null ? undefined : await findPlaylistById(call.sql, share.playlist_id)
  if (!playlist) throw new ApiError('not_found')
  const question = await playlistQuestion(call.sql, playlist)
  return { project, playlist, recordings: (await findRecordings(context, question)).recordings }
}

async function sharedRecording(call: Visit): Promise<{ project: Project; recording: Recording }> {
  const id = call.params.session_recording_id ?? ''
  const { project, recordings } = await openShare(call)
  const recording = sessionId.safeParse(id).success ? recordings.find((one) => one.session_id === id) : undefined
  if (!recording) throw new ApiError('not_found')
  return { project, recording }
}

const publicRecord = ({ session_id, distinct_id: _, lib: __, ...recording }: Recording) => ({
  id: session_id,
  ...recording,
})
