import { z } from 'zod'
import { isCommonPassword, SHORTEST_PASSWORD } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'

/** A password somebody chooses. */
export const NEW_PASSWORD = z
  .string()
  .min(SHORTEST_PASSWORD, `A password must have at least ${SHORTEST_PASSWORD} characters.`)
  .max(1_000)

export function refuseCommonPassword(
  password: string,
  user: { readonly email: string; readonly first_name: string; readonly last_name: string },
): void {
  if (isCommonPassword(password, [user.email, user.first_name, user.last_name]))
    throw new ApiError(
      'invalid_input',
      'This password is among those that are tried first: it is a common word, a pattern of keys, or your name. Choose another one.',
      { attr: 'password' },
    )
}
