import {
  LEVELS,
  type Member,
  type Membership,
  membersOf,
  organizationsOf,
  reachesOrganization,
  userObject,
} from '../accounts/index.ts'
import { ApiError } from '../http/errors.ts'
import type { Call } from './context.ts'
import { envelope, PAGE } from './pagination.ts'
import { type ApiRoutes, endpoint } from './route.ts'
import { basicOrganization } from './users.ts'

/** The organisations of the caller. `@current` is the one joined first. */
export function addOrganizationRoutes(routes: ApiRoutes): void {
  routes.add('/api/organizations/', {
    GET: endpoint({
      summary: 'The organisations of the caller',
      scope: 'organization:read',
      query: PAGE,
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
      handle: async (call) => basicOrganization(await organizationOf(call)),
    }),
  })
  routes.add('/api/organizations/:organization_id/members/', {
    GET: endpoint({
      summary: 'The members of an organisation',
      scope: 'organization_member:read',
      query: PAGE,
      handle: async (call) => {
        const members = await membersOf(call.sql, (await organizationOf(call)).id)
        const { limit, offset } = call.query
        return envelope(call.url, call.query, members.length, members.slice(offset, offset + limit).map(memberRecord))
      },
    }),
  })
}

const reachable = async ({ sql, caller }: Pick<Call, 'sql' | 'caller'>): Promise<Membership[]> =>
  (await organizationsOf(sql, caller.user.id)).filter(({ id }) => reachesOrganization(caller, id))

async function organizationOf(call: Pick<Call, 'sql' | 'caller' | 'params'>): Promise<Membership> {
  const mine = await reachable(call)
  const wanted = call.params.organization_id?.toLowerCase()
  const found = wanted === '@current' ? mine[0] : mine.find(({ id }) => id === wanted)
  if (!found) throw new ApiError('not_found', 'Organization not found.')
  return found
}

const memberRecord = (member: Member) => ({
  id: member.uuid,
  user: userObject(member),
  level: LEVELS[member.level],
  joined_at: member.joined_at,
  updated_at: member.joined_at,
  is_2fa_enabled: false,
  has_social_auth: false,
})
