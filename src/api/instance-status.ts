import { ApiError } from '../http/errors.ts'
import { type ApiRoutes, endpoint } from './frame/route.ts'

/** How the service is: what runs, and what the doctor finds. */
export function addInstanceStatusRoutes(routes: ApiRoutes): void {
  routes.add('/api/instance_status/', {
    GET: endpoint({
      summary: 'What runs in this service, how far it is, and what the doctor finds',
      scope: 'organization:read',
      handle: async ({ system }) => {
        if (!system) throw new ApiError('not_found')
        return system()
      },
    }),
  })
}
