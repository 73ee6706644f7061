import { endOtherWebSessions, endWebSessionById, type WebSession, webSessionsOf } from '../../accounts/index.ts'
import { resultsOf } from '../../contract/envelopes.ts'
import { endedSessionsSchema, sessionSchema } from '../../contract/resources/session.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'

/** Where the caller is signed in. Keys see nothing of it: whoever has a key has no session to lose. */
export function addSessionRoutes(routes: ApiRoutes): void {
  routes.add('/api/users/@me/sessions/', {
    GET: endpoint({
      summary: 'The browsers the caller is signed in in, the last used first',
      scope: null,
      access: 'session',
      answer: resultsOf(sessionSchema),
      handle: async ({ sql, caller }) => ({
        results: (await webSessionsOf(sql, caller.user.id)).map((one) => sessionRecord(one, caller.session)),
      }),
    }),
    DELETE: endpoint({
      summary: 'Sign out everywhere but here',
      scope: null,
      access: 'session',
      answer: endedSessionsSchema,
      handle: async ({ sql, caller }) => ({
        ended: caller.session === null ? 0 : await endOtherWebSessions(sql, caller.user.id, caller.session),
      }),
      audit: (_, { ended }) => ({
        scope: 'WebSession',
        activity: 'deleted',
        detail: { others: ended },
      }),
    }),
  })
  routes.add('/api/users/@me/sessions/:session_id/', {
    DELETE: endpoint({
      summary: 'End one session: that browser has to sign in again',
      scope: null,
      access: 'session',
      answer: noContent,
      handle: async ({ sql, caller, params }) => {
        if (!(await endWebSessionById(sql, caller.user.id, params.session_id ?? ''))) throw new ApiError('not_found')
      },
      audit: ({ params }) => ({ scope: 'WebSession', activity: 'deleted', itemId: params.session_id ?? null }),
    }),
  })
}

const sessionRecord = (session: WebSession, current: WebSession | null) => ({
  id: session.id,
  is_current: session.id === current?.id,
  user_agent: session.user_agent,
  address: session.address,
  created_at: session.created_at,
  last_seen_at: session.last_seen_at,
  expires_at: session.expires_at,
})
