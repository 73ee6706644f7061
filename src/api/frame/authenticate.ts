import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Caller,
  findKeyHolder,
  findWebSession,
  grants,
  isAllowedFrom,
  noteKeyUse,
  type Scope,
} from '../../accounts/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'
import { isObject } from '../../lib/json.ts'
import { addressOf } from './client-address.ts'
import { sessionToken, setSessionCookie } from './session-cookie.ts'

const SOURCES = { header: 'Authorization header', body: 'body', query: 'query string' } as const
type Source = keyof typeof SOURCES

/** The personal API key of a request: header first, then body, then query string. The first one found counts. */
export function credentials(request: FastifyRequest): { value: string; source: Source } | null {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  if (bearer) return { value: bearer[1] as string, source: 'header' }
  const inBody = isObject(request.body) ? request.body.personal_api_key : undefined
  if (typeof inBody === 'string' && inBody !== '') return { value: inBody, source: 'body' }
  const inQuery = (request.query as Record<string, unknown>).personal_api_key
  if (typeof inQuery === 'string' && inQuery !== '') return { value: inQuery, source: 'query' }
  return null
}

/** A key counts before a session: a script that says who it is means it. */
export async function authenticate(
  sql: Sql,
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
): Promise<Caller> {
  const given = credentials(request)
  if (given) return callerByKey(sql, given, addressOf(request))
  const token = sessionToken(request)
  const found = token === null ? undefined : await findWebSession(sql, token)
  if (token === null || !found) throw notAuthenticated(request)
  refuseForgery(request)
  if (found.renewed) setSessionCookie(reply, token, publicUrl)
  return { user: found.user, key: null, session: found.session }
}

/**
 * Says what is wrong with an Authorization header that holds no key. What follows the scheme is a secret and is not
 * repeated.
 */
export function notAuthenticated({ headers: { authorization } }: FastifyRequest): ApiError {
  if (authorization === undefined || authorization.trim() === '') return new ApiError('not_authenticated')
  const [, scheme, rest = ''] = /^\s*([A-Za-z][A-Za-z0-9+.-]{0,29})(?:\s+(.*))?$/s.exec(authorization) ?? []
  const send = 'Send "Authorization: Bearer <personal API key>".'
  if (scheme?.toLowerCase() === 'bearer')
    return new ApiError(
      'not_authenticated',
      `The Authorization header has ${rest.trim() === '' ? 'no key' : 'more than one word'} after "${scheme}". ${send}`,
    )
  return new ApiError(
    'not_authenticated',
    scheme === undefined || rest === ''
      ? `The Authorization header does not begin with a scheme. ${send}`
      : `The Authorization header has the scheme "${scheme}", which is not supported. ${send}`,
  )
}

async function callerByKey(sql: Sql, given: { value: string; source: Source }, address: string): Promise<Caller> {
  const holder = await findKeyHolder(sql, given.value)
  if (!holder)
    throw new ApiError(
      'authentication_failed',
      `Personal API key found in request ${SOURCES[given.source]} is invalid.`,
    )
  const { key } = holder
  if (key.expires_at !== null && key.expires_at.getTime() <= Date.now())
    throw new ApiError('authentication_failed', `This personal API key expired on ${key.expires_at.toISOString()}.`)
  if (!isAllowedFrom(address, key.allowed_addresses))
    throw new ApiError('permission_denied', 'This personal API key may not be used from this address.')
  await noteKeyUse(sql, key.id)
  return { user: holder.user, key: holder.key, session: null }
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Another site can make a browser send our cookie, but not a header of its own choosing. */
function refuseForgery(request: FastifyRequest): void {
  if (SAFE.has(request.method) || request.headers['x-requested-with'] === 'footfall') return
  throw new ApiError(
    'permission_denied',
    'A change from a browser session needs the header x-requested-with: footfall.',
  )
}

export function requireScope({ key }: Caller, scope: Scope | null): void {
  if (key !== null && scope !== null && !grants(key.scopes, scope)) {
    throw new ApiError('permission_denied', `API key missing required scope '${scope}'`)
  }
}
