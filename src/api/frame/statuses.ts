import { ERRORS, type ErrorCode } from '../../contract/errors.ts'
import { statusOf } from './answer.ts'
import type { DescribedEndpoint } from './route.ts'

/** The refusals an endpoint can answer with: its own, and those that any request can meet on its way. */
export function errorCodesOf({ path, method, endpoint }: DescribedEndpoint): ErrorCode[] {
  const { access, errors = [], body } = endpoint
  const takesBody = body !== undefined || method !== 'GET'
  return [
    // A query string with too many fields, a field that is wrong, a question that is too much.
    'invalid_input',
    ...(access === 'anyone' ? [] : (['not_authenticated', 'permission_denied'] as const)),
    // An unknown `format`, and whatever the path names.
    'not_found',
    'not_acceptable',
    ...(takesBody ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    ...(access === 'anyone' && !path.includes(':') ? [] : (['throttled'] as const)),
    'error',
    'unavailable',
    ...errors,
  ]
}

/** Every status it can answer with. */
export const statusesOf = (it: DescribedEndpoint): Set<number> =>
  new Set([
    statusOf(it.endpoint),
    ...Object.keys(it.endpoint.otherAnswers ?? {}).map(Number),
    ...errorCodesOf(it).map((code) => ERRORS[code][0]),
  ])
