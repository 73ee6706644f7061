import {
  endAllWebSessions,
  findUserByEmail,
  hashPassword,
  setEmail,
  setPassword,
  type User,
} from '../../accounts/index.ts'
import { successSchema } from '../../contract/envelopes.ts'
import { emailChangeSchema, passwordChangeSchema } from '../../contract/resources/sign-in.ts'
import { ApiError } from '../../http/errors.ts'
import { addressOf, networkOf } from '../frame/client-address.ts'
import type { Call } from '../frame/context.ts'
import { type ApiRoutes, endpoint } from '../frame/route.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { provedUser, startSession } from './login.ts'
import { NEW_PASSWORD, refuseCommonPassword } from './new-password.ts'

const PASSWORD = passwordChangeSchema.extend({ password: NEW_PASSWORD })

/** What people sign in with. */
export function addOwnAccountRoutes(routes: ApiRoutes, guard: GuessingGuard): void {
  routes.add('/api/users/@me/password/', {
    POST: endpoint({
      summary: 'Set or change the password: every session ends, and this browser gets a new one',
      scope: null,
      access: 'session',
      body: PASSWORD,
      answer: successSchema,
      errors: ['throttled'],
      handle: async (call) => {
        const { sql, caller, body, request } = call
        await requirePassword(call, guard)
        refuseCommonPassword(body.password, caller.user)
        const hash = await hashPassword(body.password, networkOf(addressOf(request)))
        await sql.begin(async (tx) => {
          await setPassword(tx, caller.user.id, hash)
          await endAllWebSessions(tx, caller.user.id)
        })
        await startSession(call, caller.user)
        return { success: true }
      },
      audit: ({ caller }) => ({ scope: 'User', activity: 'password_changed', itemId: caller.user.uuid }),
    }),
  })
  routes.add('/api/users/@me/email/', {
    POST: endpoint({
      summary: 'Change the e-mail one signs in with',
      scope: null,
      access: 'session',
      body: emailChangeSchema,
      answer: successSchema,
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
      audit: ({ caller, body }) => ({
        scope: 'User',
        activity: 'email_changed',
        itemId: caller.user.uuid,
        detail: { before: caller.user.email, after: body.email },
      }),
    }),
  })
}

/** Whoever sits down at an open browser does not know it. */
export async function requirePassword(
  call: Pick<Call, 'sql' | 'now' | 'request'> & {
    readonly caller: { readonly user: User }
    readonly body: { readonly current_password?: string | undefined }
  },
  guard: GuessingGuard,
): Promise<void> {
  const { caller, body } = call
  if (caller.user.password_hash === null) return
  if (body.current_password === undefined) throw new ApiError('required', undefined, { attr: 'current_password' })
  if (await provedUser(call, guard, { email: caller.user.email, password: body.current_password })) return
  throw new ApiError('invalid_input', 'This is not the current password.', { attr: 'current_password' })
}
