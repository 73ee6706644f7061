import type { FastifyRequest } from 'fastify'

/** The query string as it came, without its question mark: Fastify's own parsing would cost more than we need of it. */
export function queryOfUrl(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

export function pathOfUrl(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

export const queryOf = (request: FastifyRequest): URLSearchParams => new URLSearchParams(queryOfUrl(request.raw.url))
