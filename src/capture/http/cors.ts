import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Any page may send events, with cookies: browsers hide the response to a request with credentials unless it names the
 * origin exactly. The headers are on every response, errors too; otherwise an SDK would take an error for a broken
 * network and retry.
 */
const VARY = ['vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers']

/** Names and values alternate, as `writeHead` takes them. */
export function crossOriginHeaders({ headers: { origin } }: IncomingMessage): string[] {
  return origin === undefined
    ? VARY
    : [...VARY, 'access-control-allow-origin', origin, 'access-control-allow-credentials', 'true']
}

export function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const headers = crossOriginHeaders(request.raw)
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] as string, headers[at + 1])
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
