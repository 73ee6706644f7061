import { resultsOf } from '../../contract/envelopes.ts'
import { newShareSchema, shareFieldsSchema, shareSchema } from '../../contract/resources/recording.ts'
import { ApiError } from '../../http/errors.ts'
import { createShare, listShares, revokeShare, type Share, type Shared } from '../../recordings/index.ts'
import { noContent } from '../frame/answer.ts'
import type { ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { playlistOf } from '../recordings/playlists.ts'
import { recordingOf } from '../recordings/recordings.ts'

/** Public links to a playlist, a recording or a page: made, listed and revoked by whoever may manage sharing. */
export function addShareRoutes(routes: ApiRoutes): void {
  addSharesOf(routes, 'session_recordings/:session_recording_id/', async (call) => ({
    sessionId: (await recordingOf(call)).session_id,
  }))
  addSharesOf(routes, 'session_recording_playlists/:short_id/', async (call) => ({
    playlistId: (await playlistOf(call)).id,
  }))
  addSharesOf(routes, 'web_analytics/', async () => ({ page: 'web' }))
}

function addSharesOf(routes: ApiRoutes, path: string, sharedBy: (call: ProjectCall) => Promise<Shared>): void {
  routes.addToProject(`${path}shares/`, {
    GET: projectEndpoint({
      summary: 'The public links that work',
      scope: 'sharing_configuration:read',
      answer: resultsOf(shareSchema),
      handle: async (call) => {
        const shares = await listShares(call.sql, call.project.id, await sharedBy(call as ProjectCall))
        return { results: shares.map(shareRecord) }
      },
    }),
    POST: projectEndpoint({
      summary: 'Make a public link; its address is shown this once',
      scope: 'sharing_configuration:write',
      body: shareFieldsSchema,
      answer: newShareSchema,
      status: 201,
      handle: async (call) => {
        const { sql, project, caller, body, publicUrl } = call
        const shared = await sharedBy(call as ProjectCall)
        const { share, token } = await createShare(sql, project.id, caller.user.id, shared, body.expires_in_days)
        return {
          ...shareRecord(share),
          token,
          url: `${publicUrl}/shared/${token}`,
          api_url: `${publicUrl}/api/shared/${token}/`,
        }
      },
      audit: ({ params }, answer) => ({
        scope: 'SharingConfiguration',
        activity: 'created',
        itemId: String(answer.id),
        detail: { ...sharedThing(params), expires_at: answer.expires_at },
      }),
    }),
  })
  routes.addToProject(`${path}shares/:share_id/`, {
    DELETE: projectEndpoint({
      summary: 'Revoke a public link',
      scope: 'sharing_configuration:write',
      answer: noContent,
      handle: async (call) => {
        const id = /^\d{1,9}$/.test(call.params.share_id ?? '') ? Number(call.params.share_id) : 0
        const revoked = await revokeShare(call.sql, call.project.id, await sharedBy(call as ProjectCall), id)
        if (!revoked) throw new ApiError('not_found')
      },
      audit: ({ params }) => ({
        scope: 'SharingConfiguration',
        activity: 'deleted',
        itemId: params.share_id ?? null,
        detail: sharedThing(params),
      }),
    }),
  })
}

const shareRecord = ({ id, created_at, expires_at }: Share) => ({ id, created_at, expires_at })

function sharedThing({ session_recording_id, short_id }: Readonly<Record<string, string>>) {
  if (short_id !== undefined) return { playlist: short_id }
  return session_recording_id === undefined ? { page: 'web' } : { recording: session_recording_id }
}
