import { ApiError } from '../../http/errors.ts'
import { LogUnavailable } from '../../log/index.ts'
import { LIMITS } from '../limits.ts'
import { DecodedTooLarge } from './decode.ts'

/** What a client is told when its events are not taken. Null for anything else: a bug. */
export function toApiError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (error instanceof LogUnavailable)
    return new ApiError('overloaded', undefined, { retryAfterSeconds: error.retryAfterSeconds })
  if (error instanceof DecodedTooLarge) return tooLarge(LIMITS.decodedBytes)
  return null
}

export const tooLarge = (limit: number): ApiError =>
  new ApiError(
    'body_too_large',
    `The request body is larger than ${Math.round(limit / 1024 / 1024)} MiB: send it in several requests.`,
  )
