import type { FastifyRequest } from 'fastify'

/**
 * The raw query string without its question mark. Fastify's parser would do more than capture needs, on the hot path.
 */
export function queryOfUrl(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

export function pathOfUrl(url = ''): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

export const queryOf = (request: FastifyRequest): URLSearchParams => new URLSearchParams(queryOfUrl(request.raw.url))
