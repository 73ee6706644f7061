import {
  beginWebSession,
  endWebSession,
  findUserByEmail,
  noteAudit,
  noteSignInFrom,
  redeemSignInLink,
  type User,
  userOfPassword,
} from '../../accounts/index.ts'
import { successSchema } from '../../contract/envelopes.ts'
import { signInLinkSchema, signInSchema } from '../../contract/resources/sign-in.ts'
import { ApiError } from '../../http/errors.ts'
import { noContent } from '../frame/answer.ts'
import { addressOf, networkOf } from '../frame/client-address.ts'
import type { PublicCall } from '../frame/context.ts'
import { type ApiRoutes, endpoint, publicEndpoint } from '../frame/route.ts'
import { clearSessionCookie, setSessionCookie } from '../frame/session-cookie.ts'
import type { GuessingGuard } from './guessing-guard.ts'

/** Signing in and out in a browser. */
export function addLoginRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.add('/api/login/link/', {
    POST: publicEndpoint({
      summary: 'Sign in with a one-time link',
      body: signInLinkSchema,
      answer: successSchema,
      errors: ['authentication_failed', 'throttled'],
      handle: async (call) => {
        const attempt = guard.link(call)
        const user = await redeemSignInLink(call.sql, call.body.token)
        if (!user) {
          attempt.failed()
          await noteFailure(call, { how: 'link' })
          throw new ApiError(
            'authentication_failed',
            'This sign-in link was used already, is too old or never was one. Ask for another one.',
          )
        }
        return signIn(call, user, 'link')
      },
    }),
  })
  routes.add('/api/login/', {
    POST: publicEndpoint({
      summary: 'Sign in with e-mail and password',
      body: signInSchema,
      answer: successSchema,
      errors: ['authentication_failed', 'throttled'],
      handle: async (call) => {
        const user = await provedUser(call, guard, call.body)
        if (!user) throw new ApiError('authentication_failed', 'The e-mail or the password is wrong.')
        await noteSignInFrom(call.sql, user.id, networkOf(addressOf(call.request)))
        return signIn(call, user, 'password')
      },
    }),
  })
  routes.add('/api/logout/', {
    POST: endpoint({
      summary: 'Sign out',
      scope: null,
      access: 'session',
      answer: noContent,
      handle: async ({ sql, caller, reply, publicUrl }) => {
        if (caller.session) await endWebSession(sql, caller.session)
        clearSessionCookie(reply, publicUrl)
      },
      audit: ({ caller }) => ({ scope: 'User', activity: 'signed_out', itemId: caller.user.uuid }),
    }),
  })
}

type Asked = Pick<PublicCall, 'sql' | 'now' | 'request'>

/**
 * The user of this e-mail, if the password is right. The attempt counts before the password is hashed, and a wrong one
 * is noted.
 */
export async function provedUser(
  call: Asked,
  guard: GuessingGuard,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<User | undefined> {
  const attempt = await guard.password(call, email)
  const from = networkOf(addressOf(call.request))
  const user = await userOfPassword(call.sql, email, password, from).catch(async (error: Error) => {
    // Refused before it was tried.
    await attempt.takeBack()
    throw error
  })
  if (user) await attempt.succeeded()
  else await noteFailure(call, { how: 'password', email })
  return user
}

async function noteFailure({ sql, request }: Asked, { how, email }: { how: string; email?: string }): Promise<void> {
  const user = email === undefined ? undefined : await findUserByEmail(sql, email)
  await noteAudit(sql, {
    scope: 'User',
    activity: 'sign_in_failed',
    via: 'sign-in',
    user: user ?? null,
    ...(email === undefined ? {} : { email }),
    itemId: user?.uuid ?? null,
    detail: { how },
    address: addressOf(request),
  })
}

/** From here on the browser of this request is signed in as the user. */
export async function signIn(call: Omit<PublicCall, 'query' | 'body'>, user: User, how: string) {
  await startSession(call, user)
  await noteAudit(call.sql, {
    scope: 'User',
    activity: 'signed_in',
    via: 'sign-in',
    user,
    itemId: user.uuid,
    detail: { how },
    address: addressOf(call.request),
  })
  return { success: true as const }
}

export async function startSession(
  { sql, request, reply, publicUrl }: Pick<PublicCall, 'sql' | 'request' | 'reply' | 'publicUrl'>,
  user: User,
): Promise<void> {
  const token = await beginWebSession(sql, user.id, {
    userAgent: request.headers['user-agent'] ?? '',
    address: addressOf(request),
  })
  setSessionCookie(reply, token, publicUrl)
}
