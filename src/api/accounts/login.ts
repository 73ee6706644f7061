import { z } from 'zod'
import {
  beginWebSession,
  endOtherWebSessions,
  endWebSession,
  findUserByEmail,
  redeemSignInLink,
  setEmail,
  setPassword,
  type User,
  userOfPassword,
} from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { Call, PublicCall } from '../frame/context.ts'
import { type ApiRoutes, endpoint, publicEndpoint } from '../frame/route.ts'
import { clearSessionCookie, setSessionCookie } from '../frame/session-cookie.ts'
import type { GuessingGuard } from './guessing-guard.ts'

const LINK = z.object({ token: z.string().min(1).max(200) })
const LOGIN = z.object({ email: z.string().min(1).max(400), password: z.string().min(1).max(1_000) })
/** A password somebody chooses. */
export const NEW_PASSWORD = z.string().min(8, 'A password must have at least 8 characters.').max(1_000)

const PASSWORD = z.object({ current_password: z.string().max(1_000).optional(), password: NEW_PASSWORD })
const EMAIL = z.object({
  email: z.email('Must be an e-mail address.').max(254),
  current_password: z.string().max(1_000).optional(),
})

/** Signing in and out in a browser. */
export function addLoginRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.add('/api/login/link/', {
    POST: publicEndpoint({
      summary: 'Sign in with a one-time link',
      body: LINK,
      errors: ['authentication_failed', 'throttled'],
      handle: async (call) => {
        const attempt = guard.attempt(call, [`address ${call.request.ip}`])
        const user = await redeemSignInLink(call.sql, call.body.token)
        if (!user) {
          attempt.failed()
          throw new ApiError(
            'authentication_failed',
            'This sign-in link was used already, is too old or never was one. Ask for another one.',
          )
        }
        return signIn(call, user)
      },
    }),
  })
  routes.add('/api/login/', {
    POST: publicEndpoint({
      summary: 'Sign in with e-mail and password',
      body: LOGIN,
      errors: ['authentication_failed', 'throttled'],
      handle: async (call) => {
        const { email, password } = call.body
        const attempt = guard.attempt(call, [`address ${call.request.ip}`, `email ${email.toLowerCase()}`])
        const user = await userOfPassword(call.sql, email, password)
        if (!user) {
          attempt.failed()
          throw new ApiError('authentication_failed', 'The e-mail or the password is wrong.')
        }
        return signIn(call, user)
      },
    }),
  })
  routes.add('/api/logout/', {
    POST: endpoint({
      summary: 'Sign out',
      scope: null,
      access: 'session',
      status: 204,
      handle: async ({ sql, caller, reply, publicUrl }) => {
        if (caller.session) await endWebSession(sql, caller.session)
        clearSessionCookie(reply, publicUrl)
      },
    }),
  })
  routes.add('/api/users/@me/password/', {
    POST: endpoint({
      summary: 'Set or change the password',
      scope: null,
      access: 'session',
      body: PASSWORD,
      errors: ['throttled'],
      handle: async (call) => {
        const { sql, caller, body } = call
        await requirePassword(call, guard)
        await sql.begin(async (tx) => {
          await setPassword(tx, caller.user.id, body.password)
          await endOtherWebSessions(tx, caller.user.id, caller.session)
        })
        return { success: true }
      },
    }),
  })
  routes.add('/api/users/@me/email/', {
    POST: endpoint({
      summary: 'Change the e-mail one signs in with',
      scope: null,
      access: 'session',
      body: EMAIL,
      errors: ['throttled'],
      handle: async (call) => {
        const { sql, caller, body } = call
        await requirePassword(call, guard)
        const taken = await findUserByEmail(sql, body.email)
        if (taken && taken.id !== caller.user.id)
          throw new ApiError('invalid_input', 'Somebody else has this e-mail.', { attr: 'email' })
        await setEmail(sql, caller.user.id, body.email)
        return { success: true }
      },
    }),
  })
}

/** Whoever sits down at an open browser does not know it. */
async function requirePassword(
  call: Pick<Call, 'sql' | 'caller' | 'now'> & { body: { current_password?: string | undefined } },
  guard: GuessingGuard,
): Promise<void> {
  const { sql, caller, body } = call
  if (caller.user.password_hash === null) return
  const attempt = guard.attempt(call, [`email ${caller.user.email.toLowerCase()}`])
  if (await userOfPassword(sql, caller.user.email, body.current_password ?? '')) return
  attempt.failed()
  throw new ApiError('invalid_input', 'This is not the current password.', { attr: 'current_password' })
}

/** From here on the browser of this request is signed in as the user. */
export async function signIn({ sql, request, reply, publicUrl }: Omit<PublicCall, 'query' | 'body'>, user: User) {
  const token = await beginWebSession(sql, user.id, request.headers['user-agent'] ?? '')
  setSessionCookie(reply, token, publicUrl)
  return { success: true }
}
