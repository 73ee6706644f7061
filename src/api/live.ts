import { streamEvents } from '../live/index.ts'
import { streamOf } from './frame/answer.ts'
import { addressOf } from './frame/client-address.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'
import { isStillAllowed } from './frame/still-allowed.ts'

const SCOPE = 'query:read'

export function addLiveRoutes(routes: ApiRoutes): void {
  routes.addToProject('live/', {
    GET: projectEndpoint({
      summary: 'Events as they are stored or dropped, as server-sent events; ends with the key or session that asked',
      scope: SCOPE,
      answer: streamOf('text/event-stream'),
      handle: ({ live, project, reply, sql, caller, request }) => {
        reply.hijack()
        const asked = { caller, project: project.id, address: addressOf(request), scope: SCOPE }
        streamEvents(live, project.id, reply.raw, () => isStillAllowed(sql, asked))
      },
    }),
  })
}
