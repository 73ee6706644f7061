import {
  LEVELS,
  lockMembers,
  type Member,
  type MemberLevel,
  mayChangeLevel,
  mayRemove,
  membersOf,
  removeMember,
  setLevel,
  userObject,
} from '../../accounts/index.ts'
import { pageOf, pageQuerySchema } from '../../contract/envelopes.ts'
import { levelField, memberChangesSchema, memberSchema } from '../../contract/resources/member.ts'
import type { TransactionSql } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import type { Call } from '../frame/context.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'
import { organizationOf } from './organizations.ts'

export const LEVEL = levelField.transform(
  (level) => (Object.keys(LEVELS) as MemberLevel[]).find((name) => LEVELS[name] === level) as MemberLevel,
)

const PATH = '/api/organizations/:organization_id/members/'

/** Who belongs to an organisation, what they may, and how they go. */
export function addMemberRoutes(routes: ApiRoutes): void {
  routes.add(PATH, {
    GET: endpoint({
      summary: 'The members of an organisation',
      scope: 'organization_member:read',
      query: pageQuerySchema,
      answer: pageOf(memberSchema),
      handle: async (call) => {
        const members = await membersOf(call.sql, (await organizationOf(call)).id)
        const { limit, offset } = call.query
        return envelope(call.url, call.query, members.length, members.slice(offset, offset + limit).map(memberRecord))
      },
    }),
  })
  routes.add(`${PATH}:user_uuid/`, {
    PATCH: endpoint({
      summary: 'Change what a member may do',
      scope: 'organization_member:write',
      body: memberChangesSchema.extend({ level: LEVEL }),
      answer: memberSchema,
      handle: (call) =>
        withMember(call, async (tx, { organizationId, actor, member }) => {
          const { level } = call.body
          refuse(mayChangeLevel(actor, member, level))
          await setLevel(tx, organizationId, member.id, level)
          return memberRecord({ ...member, level })
        }),
      audit: async (call, { id, user, level }) => {
        const organizationId = (await organizationOf(call)).id
        return {
          scope: 'OrganizationMembership',
          activity: 'updated',
          itemId: id,
          detail: { email: user.email, level },
          organizationId,
        }
      },
    }),
    DELETE: endpoint({
      summary: 'Remove a member, or leave',
      scope: 'organization_member:write',
      answer: noContent,
      handle: (call) =>
        withMember(call, async (tx, { organizationId, actor, member, members }) => {
          refuse(mayRemove(actor, member, members.filter(({ level }) => level === 'owner').length))
          await removeMember(tx, organizationId, member.id)
          return { organizationId, uuid: member.uuid, email: member.email }
        }),
      audit: (_, { organizationId, uuid, email }) => ({
        scope: 'OrganizationMembership',
        activity: 'deleted',
        itemId: uuid,
        detail: { email },
        organizationId,
      }),
    }),
  })
}

interface Found {
  readonly organizationId: string
  readonly actor: Member
  readonly member: Member
  readonly members: readonly Member[]
}

async function withMember<T>(
  call: Pick<Call, 'sql' | 'caller' | 'params'>,
  work: (tx: TransactionSql, found: Found) => Promise<T>,
): Promise<T> {
  const { id } = await organizationOf(call)
  return call.sql.begin(async (tx) => {
    const members = await lockMembers(tx, id)
    const wanted = call.params.user_uuid?.toLowerCase()
    const actor = members.find((one) => one.id === call.caller.user.id)
    const member = wanted === '@me' ? actor : members.find(({ uuid }) => uuid === wanted)
    if (!actor || !member) throw new ApiError('not_found', 'There is no such member.')
    return work(tx, { organizationId: id, actor, member, members })
  }) as Promise<T>
}

function refuse(reason: string | null): void {
  if (reason !== null) throw new ApiError('permission_denied', reason)
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
