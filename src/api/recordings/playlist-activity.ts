import { activityPageSchema, activityQuerySchema } from '../../contract/resources/activity.ts'
import { readActivity } from '../frame/activity.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { SCOPE } from './note-playlist.ts'
import { playlistOf } from './playlists.ts'

const PATH = 'session_recording_playlists/'

export function addPlaylistActivityRoutes(routes: ApiRoutes): void {
  routes.addToProject(`${PATH}activity/`, {
    GET: projectEndpoint({
      summary: 'Who made and changed playlists, the last first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: ({ sql, url, query, project }) => readActivity(sql, url, query, { project: project.id, scope: SCOPE }),
    }),
  })
  routes.addToProject(`${PATH}:short_id/activity/`, {
    GET: projectEndpoint({
      summary: 'Who made and changed a playlist, the last first',
      scope: 'activity_log:read',
      query: activityQuerySchema,
      answer: activityPageSchema,
      handle: async (call) => {
        const { id } = await playlistOf(call, { deletedToo: true })
        return readActivity(call.sql, call.url, call.query, {
          project: call.project.id,
          scope: SCOPE,
          itemId: String(id),
        })
      },
    }),
  })
}
