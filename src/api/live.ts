import { streamEvents } from '../live/index.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'

export function addLiveRoutes(routes: ApiRoutes): void {
  routes.addToProject('live/', {
    GET: projectEndpoint({
      summary: 'Events as they are stored or dropped, as server-sent events',
      scope: 'query:read',
      handle: ({ live, project, reply }) => {
        reply.hijack()
        streamEvents(live, project.id, reply.raw)
      },
    }),
  })
}
