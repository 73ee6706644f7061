import { type Membership, organizationsOf, reachesOrganization } from '../../accounts/index.ts'
import { pageOf, pageQuerySchema } from '../../contract/envelopes.ts'
import { organizationSchema } from '../../contract/resources/organization.ts'
import { ApiError } from '../../http/errors.ts'
import type { Call } from '../frame/context.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'
import { basicOrganization } from './users.ts'

/** The organisations of the caller. `@current` is the one joined first. */
export function addOrganizationRoutes(routes: ApiRoutes): void {
  routes.add('/api/organizations/', {
    GET: endpoint({
      summary: 'The organisations of the caller',
      scope: 'organization:read',
      query: pageQuerySchema,
      answer: pageOf(organizationSchema),
      handle: async (call) => {
        const mine = (await reachable(call)).map(basicOrganization)
        const { limit, offset } = call.query
        return envelope(call.url, call.query, mine.length, mine.slice(offset, offset + limit))
      },
    }),
  })
  routes.add('/api/organizations/:organization_id/', {
    GET: endpoint({
      summary: 'One organisation',
      scope: 'organization:read',
      answer: organizationSchema,
      handle: async (call) => basicOrganization(await organizationOf(call)),
    }),
  })
}

const reachable = async ({ sql, caller }: Pick<Call, 'sql' | 'caller'>): Promise<Membership[]> =>
  (await organizationsOf(sql, caller.user.id)).filter(({ id }) => reachesOrganization(caller, id))

/** The organisation of the path, if the caller belongs to it. */
export async function organizationOf(call: Pick<Call, 'sql' | 'caller' | 'params'>): Promise<Membership> {
  const mine = await reachable(call)
  const wanted = call.params.organization_id?.toLowerCase()
  const found =
    wanted === '@current'
      ? mine[0]
      : (mine.find(({ id }) => id === wanted) ?? mine.find((each) => basicOrganization(each).slug === wanted))
  if (!found) throw new ApiError('not_found', 'Organization not found.')
  return found
}
