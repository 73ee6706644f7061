import { demoRequestSchema, demoStateSchema } from '../contract/resources/service.ts'
import type { DemoLoader } from '../demo/index.ts'
import { ApiError } from '../http/errors.ts'
import type { ApiContext } from './frame/context.ts'
import { type ApiRoutes, projectEndpoint } from './frame/route.ts'

/** Two months of a small SaaS, for looking around before one's own events are there. */
export function addDemoRoutes(routes: ApiRoutes): void {
  routes.addToProject('demo_data/', {
    GET: projectEndpoint({
      summary: 'How far the loading of the demo is',
      scope: 'project:read',
      answer: demoStateSchema,
      handle: (call) => ({ progress: demoOf(call).progress(call.project.id) }),
    }),
    POST: projectEndpoint({
      summary: 'Load the demo, or what is missing of it',
      scope: 'project:write',
      body: demoRequestSchema,
      answer: demoStateSchema,
      status: 202,
      handle: (call) => {
        const { visitors } = call.body
        const options = { owner: call.caller.user.id, ...(visitors === undefined ? {} : { visitors }) }
        return { progress: demoOf(call).begin(call.project, options) }
      },
    }),
  })
}

function demoOf({ demo }: Pick<ApiContext, 'demo'>): Pick<DemoLoader, 'begin' | 'progress'> {
  if (!demo) throw new ApiError('not_found', 'This process takes no events: ask the one that does.')
  return demo
}
