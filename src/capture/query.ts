import type { FastifyRequest } from 'fastify'

/** The query string as it came, without its question mark: Fastify's own parsing would cost more than we need of it. */
export function queryString(request: FastifyRequest): string {
  const url = request.raw.url ?? ''
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

export const queryOf = (request: FastifyRequest): URLSearchParams => new URLSearchParams(queryString(request))
