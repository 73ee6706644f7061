import { z } from 'zod'
import {
  beginWebSession,
  endOtherWebSessions,
  endWebSession,
  redeemSignInLink,
  setPassword,
  type User,
  userOfPassword,
} from '../accounts/index.ts'
import { ApiError } from '../http/errors.ts'
import { SlidingWindow } from '../http/sliding-window.ts'
import type { PublicCall } from './context.ts'
import { type ApiRoutes, endpoint, publicEndpoint } from './route.ts'
import { clearSessionCookie, setSessionCookie } from './session-cookie.ts'

const QUARTER_HOUR = 15 * 60_000
const LINK = z.object({ token: z.string().min(1).max(200) })
const LOGIN = z.object({ email: z.string().min(1).max(400), password: z.string().min(1).max(1_000) })
const PASSWORD = z.object({
  current_password: z.string().max(1_000).optional(),
  password: z.string().min(8, 'A password must have at least 8 characters.').max(1_000),
})

/** Signing in and out in a browser. */
export function addLoginRoutes(routes: ApiRoutes): void {
  const guard = new GuessingGuard()
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
        if (caller.user.password_hash !== null) {
          const attempt = guard.attempt(call, [`email ${caller.user.email.toLowerCase()}`])
          if (!(await userOfPassword(sql, caller.user.email, body.current_password ?? ''))) {
            attempt.failed()
            throw new ApiError('invalid_input', 'This is not the current password.', { attr: 'current_password' })
          }
        }
        await sql.begin(async (tx) => {
          await setPassword(tx, caller.user.id, body.password)
          await endOtherWebSessions(tx, caller.user.id, caller.session)
        })
        return { success: true }
      },
    }),
  })
}

async function signIn({ sql, request, reply, publicUrl }: Omit<PublicCall, 'query' | 'body'>, user: User) {
  const token = await beginWebSession(sql, user.id, request.headers['user-agent'] ?? '')
  setSessionCookie(reply, token, publicUrl)
  return { success: true }
}

/** Slows down whoever guesses: ten wrong passwords for one e-mail, or fifty from one address, in a quarter of an hour. */
class GuessingGuard {
  readonly #perEmail = new SlidingWindow(10, QUARTER_HOUR)
  readonly #perAddress = new SlidingWindow(50, QUARTER_HOUR)

  attempt({ now }: Pick<PublicCall, 'now'>, names: readonly string[]): { failed(): void } {
    const at = now().getTime()
    const window = (name: string) => (name.startsWith('email ') ? this.#perEmail : this.#perAddress)
    const wait = Math.max(...names.map((name) => window(name).waitMs(name, at)))
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000)
      throw new ApiError('throttled', `Too many failed attempts. Expected available in ${seconds} seconds.`, {
        retryAfterSeconds: seconds,
      })
    }
    return {
      failed: () => {
        for (const name of names) window(name).count(name, at)
      },
    }
  }
}
