import { organizationsOf } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { ProjectCall } from '../frame/context.ts'
import type { GuessingGuard } from './guessing-guard.ts'
import { requirePassword } from './own-account.ts'

/** What admins alone may do about a project. */
export async function requireAdmin({ sql, caller, project }: Pick<ProjectCall, 'sql' | 'caller' | 'project'>) {
  const membership = (await organizationsOf(sql, caller.user.id)).find(({ id }) => id === project.organization_id)
  if (membership === undefined || membership.level === 'member')
    throw new ApiError('permission_denied', 'Only admins and owners of the organisation may change this.')
}

/**
 * Asks again before something that cannot be undone: a person in a browser types the name of the project, and the
 * password if there is one. A key says what it means: it was made for scripts, by somebody who signed in.
 */
export async function confirm(
  call: Pick<ProjectCall, 'sql' | 'caller' | 'project' | 'now' | 'request'> & {
    readonly body: { readonly confirm?: string | undefined; readonly current_password?: string | undefined }
  },
  guard: GuessingGuard,
): Promise<void> {
  if (call.caller.key !== null) return
  if (call.body.confirm?.trim() !== call.project.name.trim())
    throw new ApiError(
      'invalid_input',
      `This cannot be undone. Send the name of the project, "${call.project.name}", as confirm, and your password as current_password.`,
      { attr: 'confirm' },
    )
  await requirePassword(call, guard)
}
