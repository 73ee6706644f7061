import { isInstanceAdmin } from '../accounts/index.ts'
import { instanceStatusSchema } from '../contract/resources/service.ts'
import { ApiError } from '../http/errors.ts'
import { type ApiRoutes, endpoint } from './frame/route.ts'

/** How the service is: what runs, and what the doctor finds. */
export function addInstanceStatusRoutes(routes: ApiRoutes): void {
  routes.add('/api/instance_status/', {
    GET: endpoint({
      summary:
        'What runs in this service, how far it is, and what the doctor finds; for admins of the first organisation',
      scope: 'organization:read',
      answer: instanceStatusSchema,
      handle: async ({ system, sql, caller }) => {
        if (!(await isInstanceAdmin(sql, caller.user.id)))
          throw new ApiError(
            'permission_denied',
            'Only admins and owners of the organisation that runs this service may see its status.',
          )
        if (!system) throw new ApiError('not_found')
        return system()
      },
    }),
  })
}
