import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Any page may send events, with cookies: browsers hide the answer to a request with credentials unless its very origin is named.
 * The headers go onto every answer, errors too, or an SDK would take a refusal for a broken network and retry.
 */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers
  reply.header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
  if (origin === undefined) return
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-allow-credentials', 'true')
}

export function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  methods = 'GET, POST, OPTIONS',
): FastifyReply {
  reply.header('access-control-allow-methods', methods)
  const wanted = request.headers['access-control-request-headers']
  if (wanted !== undefined) reply.header('access-control-allow-headers', wanted)
  return reply.code(200).send()
}
