import { ClickHouseFailure, QUERY_WAS_CANCELLED } from '../../engines/clickhouse/index.ts'
import { isTroubleOfPostgres } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'
import { fromDomain } from './from-domain.ts'

const STATEMENT_TIMEOUT = '57014'
const DISK_FULL = '53100'
const UNSTORABLE_TEXT = new Set<unknown>(['22021', '22P05'])

/** JSON with half of a character (a lone surrogate), which `JSON.stringify` writes and Postgres refuses. */
const isHalfCharacter = (error: Error & { code?: unknown; detail?: unknown }) =>
  error.code === '22P02' && String(error.detail).includes('surrogate')

/** Nested deeper than a stack holds: ours, or that of Postgres. */
const isTooDeep = (error: Error & { code?: unknown }) =>
  (error instanceof RangeError && error.message.includes('call stack')) || error.code === '54001'

/**
 * What a failure below the API means to a client: what is wrong with the request itself is said by who found it; a
 * question that is too heavy is the asker's to narrow; an engine that is away, or whose disk is full, will be back; NUL
 * is no text to Postgres. Everything else is a fault of ours.
 */
export function fromEngines(failure: Error & { code?: unknown }): Error {
  const error = fromDomain(failure) as typeof failure
  if (error instanceof ApiError) return error
  const away = new ApiError('unavailable', undefined, { retryAfterSeconds: 2 })
  if (error instanceof ClickHouseFailure) {
    if (error.code === QUERY_WAS_CANCELLED) return new ApiError('query_cancelled')
    if (error.kind === 'too_heavy') return new ApiError('query_too_heavy')
    return error.kind === 'unavailable' ? away : error
  }
  if (error.code === STATEMENT_TIMEOUT) return new ApiError('query_too_heavy')
  if (isTooDeep(error)) return new ApiError('invalid_input', 'The request is nested too deeply.')
  if (UNSTORABLE_TEXT.has(error.code)) return new ApiError('invalid_input', 'Null characters are not allowed.')
  if (isHalfCharacter(error))
    return new ApiError('invalid_input', 'A text holds half of a character (a lone surrogate): send whole characters.')
  if (error.code === DISK_FULL)
    return new ApiError('unavailable', 'The disk of the service is full: nothing was changed.', {
      retryAfterSeconds: 30,
    })
  return isTroubleOfPostgres(error) ? away : error
}
