import { ApiError } from '../../http/errors.ts'
import { InvalidInput } from '../../lib/invalid-input.ts'

/** What cannot be done as it was asked, as the API answers it. Everything else stays as it is. */
export const fromDomain = (error: unknown): unknown =>
  error instanceof InvalidInput
    ? new ApiError(error.reason, error.message || undefined, { attr: attrOf(error) })
    : error

const attrOf = ({ path }: InvalidInput): string | null => (path.length === 0 ? null : path.join('__'))
