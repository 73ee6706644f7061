import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../http/errors.ts'
import { isUuid } from '../../lib/uuid.ts'
import { UNDERSTANDS_ZSTD } from '../stages/decode.ts'
import { checkKey } from '../stages/shape.ts'

/** Fields of a v1 request that are sent as headers. */
export interface V1Headers {
  readonly key: string
  readonly requestId: string
  readonly sentAt: string
  readonly lib: string
  readonly libVersion: string
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/i
const ENCODINGS = ['gzip', 'deflate', 'br', ...(UNDERSTANDS_ZSTD ? ['zstd'] : [])]
const ACCEPTED = new Set(['', 'identity', ...ENCODINGS])

export const isRfc3339 = (text: unknown): text is string =>
  typeof text === 'string' && RFC_3339.test(text) && !Number.isNaN(Date.parse(text))

export function readV1Headers(headers: IncomingHttpHeaders, contentType: string | undefined): V1Headers {
  const key = bearer(headers.authorization)
  if (contentType?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json')
    throw new ApiError(
      'unsupported_media_type',
      `Content-Type is ${contentType === undefined ? 'missing' : JSON.stringify(contentType.slice(0, 100))}: it must be application/json.`,
    )
  if (!ACCEPTED.has(headers['content-encoding']?.toLowerCase() ?? ''))
    throw new ApiError(
      'unsupported_media_type',
      `Content-Encoding is ${JSON.stringify(headers['content-encoding']?.slice(0, 100))}: it must be one of ${ENCODINGS.join(', ')}.`,
    )
  required(headers['user-agent'], 'User-Agent', () => true, 'any text')
  const info = required(headers['posthog-sdk-info'], 'PostHog-Sdk-Info', (text) => text.includes('/'), 'name/version')
  required(headers['posthog-attempt'], 'PostHog-Attempt', (text) => /^[1-9]\d*$/.test(text), 'a whole number from 1')
  const slash = info.indexOf('/')
  return {
    key,
    requestId: required(headers['posthog-request-id'], 'PostHog-Request-Id', isUuid, 'a UUID'),
    sentAt: required(headers['posthog-request-timestamp'], 'PostHog-Request-Timestamp', isRfc3339, 'an RFC 3339 time'),
    lib: info.slice(0, slash),
    libVersion: info.slice(slash + 1),
  }
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new ApiError('missing_api_key', 'Send the project API key as Authorization: Bearer <key>.')
  const [scheme, key] = authorization.trim().split(/\s+/, 2)
  if (scheme?.toLowerCase() !== 'bearer')
    throw new ApiError('invalid_input', 'The scheme of Authorization must be Bearer.', { attr: 'Authorization' })
  return checkKey(key ?? null)
}

function required(
  value: string | string[] | undefined,
  name: string,
  valid: (text: string) => boolean,
  wanted: string,
): string {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined || text === '')
    throw new ApiError('required', `The header ${name} is required.`, { attr: name })
  if (!valid(text)) throw new ApiError('invalid_input', `The header ${name} must be ${wanted}.`, { attr: name })
  return text
}
