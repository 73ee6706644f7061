import type { z } from 'zod'
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  findUserByEmail,
  hashPassword,
  type Invitation,
  LEVELS,
  membersOf,
  type Newcomer,
  noteAudit,
  openInvitations,
  userObject,
  usersById,
  withdrawInvitation,
} from '../../accounts/index.ts'
import { pageOf, pageQuerySchema, successSchema } from '../../contract/envelopes.ts'
import {
  invitationFieldsSchema,
  invitationSchema,
  newcomerSchema,
  newInvitationSchema,
  openInvitationSchema,
} from '../../contract/resources/invitation.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import { addressOf, networkOf } from '../frame/client-address.ts'
import type { PublicCall } from '../frame/context.ts'
import { envelope } from '../frame/pagination.ts'
import { type ApiRoutes, endpoint, publicEndpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { provedUser, signIn } from './login.ts'
import { LEVEL } from './members.ts'
import { NEW_PASSWORD, refuseCommonPassword } from './new-password.ts'
import { organizationOf } from './organizations.ts'

const PATH = '/api/organizations/:organization_id/invites/'
const WANTED = invitationFieldsSchema.extend({ level: LEVEL.default('member') })

/** Links by which people join: no mail is sent, whoever invites passes the link on. */
export function addInvitationRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.add(PATH, {
    GET: endpoint({
      summary: 'Invitations that still work',
      scope: 'organization_member:read',
      query: pageQuerySchema,
      answer: pageOf(invitationSchema),
      handle: async (call) => {
        const open = await openInvitations(call.sql, (await organizationOf(call)).id)
        const page = open.slice(call.query.offset, call.query.offset + call.query.limit)
        const by = await usersById(
          call.sql,
          page.map(({ created_by }) => created_by),
        )
        return envelope(
          call.url,
          call.query,
          open.length,
          page.map((invitation) => ({
            ...invitationRecord(invitation),
            created_by: userOrNull(by.get(invitation.created_by ?? 0)),
          })),
        )
      },
    }),
    POST: endpoint({
      summary: 'Invite somebody; the link is shown this once',
      scope: 'organization_member:write',
      body: WANTED,
      answer: newInvitationSchema,
      status: 201,
      handle: async (call) => {
        const { sql, caller, publicUrl } = call
        const { target_email, level, expires_in_days } = call.body
        const organization = await organizationOf(call)
        if (organization.level === 'member')
          throw new ApiError('permission_denied', 'Only admins and owners may invite somebody.')
        if (LEVELS[level] > LEVELS[organization.level])
          throw new ApiError('permission_denied', 'You cannot give a level above your own.')
        const members = await membersOf(sql, organization.id)
        if (target_email && members.some((member) => member.email.toLowerCase() === target_email.toLowerCase()))
          throw new ApiError('invalid_input', 'Somebody with this e-mail is a member already.', {
            attr: 'target_email',
          })
        const { invitation, token } = await createInvitation(sql, {
          organizationId: organization.id,
          email: target_email ?? null,
          level,
          createdBy: caller.user.id,
          days: expires_in_days,
        })
        return {
          ...invitationRecord(invitation),
          created_by: userObject(caller.user),
          token,
          url: `${publicUrl}/join/${token}`,
          organization: organization.id,
        }
      },
      audit: (_, { id, target_email, level, organization }) => ({
        scope: 'OrganizationInvite',
        activity: 'created',
        itemId: id,
        detail: { target_email, level },
        organizationId: organization,
      }),
    }),
  })
  routes.add(`${PATH}:invite_id/`, {
    DELETE: endpoint({
      summary: 'Withdraw an invitation',
      scope: 'organization_member:write',
      answer: noContent,
      handle: async (call) => {
        const organization = await organizationOf(call)
        if (organization.level === 'member')
          throw new ApiError('permission_denied', 'Only admins and owners may withdraw an invitation.')
        if (!(await withdrawInvitation(call.sql, organization.id, call.params.invite_id ?? '')))
          throw new ApiError('not_found')
        return organization.id
      },
      audit: ({ params }, organization) => ({
        scope: 'OrganizationInvite',
        activity: 'deleted',
        itemId: params.invite_id ?? null,
        organizationId: organization,
      }),
    }),
  })
  addSignUp(routes, guard)
}

/** The other side: what an invitation is for, and joining. */
function addSignUp(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.add('/api/signup/:token/', {
    GET: publicEndpoint({
      summary: 'What an invitation is for',
      answer: openInvitationSchema,
      errors: ['throttled'],
      handle: async (call) => {
        const { organization_name, email, expires_at } = await invitationOf(call, guard)
        const known = email !== null && (await findUserByEmail(call.sql, email)) !== undefined
        return { organization_name, target_email: email, expires_at, has_account: known }
      },
    }),
    POST: publicEndpoint({
      summary: 'Join by an invitation, with a new account or the one you have',
      body: newcomerSchema,
      answer: successSchema,
      status: 201,
      errors: ['authentication_failed', 'throttled'],
      handle: async (call) => {
        const invitation = await invitationOf(call, guard)
        const user = await acceptInvitation(call.sql, call.params.token ?? '', await newcomer(call, invitation, guard))
        if (!user) throw new ApiError('not_found', GONE)
        await noteAudit(call.sql, {
          scope: 'OrganizationMembership',
          activity: 'created',
          via: 'sign-in',
          user,
          itemId: user.uuid,
          organizationId: invitation.organization_id,
          detail: { level: LEVELS[invitation.level], invitation: invitation.id },
          address: addressOf(call.request),
        })
        return signIn(call, user, 'invitation')
      },
    }),
  })
}

const GONE = 'This invitation was used already, was withdrawn or has expired. Ask for another one.'

async function invitationOf(call: Pick<PublicCall, 'sql' | 'params' | 'request' | 'now'>, guard: GuessingGuard) {
  const attempt = guard.link(call)
  const invitation = await findInvitation(call.sql, call.params.token ?? '')
  if (invitation) return invitation
  attempt.failed()
  throw new ApiError('not_found', GONE)
}

/** A link opens nobody else's account: whoever has one proves it with its password. */
async function newcomer(
  call: Pick<PublicCall, 'sql' | 'now' | 'request'> & { readonly body: z.output<typeof newcomerSchema> },
  invitation: Invitation,
  guard: GuessingGuard,
): Promise<Newcomer> {
  const { sql, body } = call
  const address = invitation.email ?? body.email
  if (address === undefined) throw new ApiError('required', undefined, { attr: 'email' })
  if (await findUserByEmail(sql, address)) {
    const user = await provedUser(call, guard, { email: address, password: body.password })
    if (user) return { user }
    throw new ApiError('invalid_input', 'There is an account with this e-mail, and this is not its password.', {
      attr: 'password',
    })
  }
  const password = NEW_PASSWORD.safeParse(body.password)
  if (!password.success) throw new ApiError('invalid_input', password.error.issues[0]?.message, { attr: 'password' })
  refuseCommonPassword(password.data, { email: address, first_name: body.first_name, last_name: body.last_name })
  const passwordHash = await hashPassword(password.data, networkOf(addressOf(call.request)))
  return { email: address, firstName: body.first_name, lastName: body.last_name, passwordHash }
}

const userOrNull = (user: Parameters<typeof userObject>[0] | undefined) => (user ? userObject(user) : null)

const invitationRecord = ({ id, email, level, created_at, expires_at }: Invitation) => ({
  id,
  target_email: email,
  level: LEVELS[level],
  created_at,
  updated_at: created_at,
  expires_at,
  is_expired: false,
})
