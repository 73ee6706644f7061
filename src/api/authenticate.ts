import type { FastifyRequest } from 'fastify'
import { findKeyHolder, grants, type KeyHolder, noteKeyUse, type Scope } from '../accounts/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import { ApiError } from '../http/errors.ts'
import { isObject } from '../lib/json.ts'

const SOURCES = { header: 'Authorization header', body: 'body', query: 'query string' } as const
type Source = keyof typeof SOURCES

/** The personal API key of a request: header first, then body, then query string. The first one found counts. */
export function credentials(request: FastifyRequest): { value: string; source: Source } | null {
  const bearer = /^Bearer +(\S+) *$/.exec(request.headers.authorization ?? '')
  if (bearer) return { value: bearer[1] as string, source: 'header' }
  const inBody = isObject(request.body) ? request.body.personal_api_key : undefined
  if (typeof inBody === 'string' && inBody !== '') return { value: inBody, source: 'body' }
  const inQuery = (request.query as Record<string, unknown>).personal_api_key
  if (typeof inQuery === 'string' && inQuery !== '') return { value: inQuery, source: 'query' }
  return null
}

export async function authenticate(sql: Sql, request: FastifyRequest): Promise<KeyHolder> {
  const given = credentials(request)
  if (!given) throw new ApiError('not_authenticated')
  const holder = await findKeyHolder(sql, given.value)
  if (!holder)
    throw new ApiError(
      'authentication_failed',
      `Personal API key found in request ${SOURCES[given.source]} is invalid.`,
    )
  await noteKeyUse(sql, holder.key.id)
  return holder
}

export function requireScope({ key }: KeyHolder, scope: Scope | null): void {
  if (scope !== null && !grants(key.scopes, scope)) {
    throw new ApiError('permission_denied', `API key missing required scope '${scope}'`)
  }
}
