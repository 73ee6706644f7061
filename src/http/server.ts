import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { atMost } from '../lib/in-time.ts'
import type { Logger } from '../lib/logger.ts'
import { ClientAddresses } from './client-address.ts'
import { shareConnections } from './connection-shares.ts'
import { ApiError, type ErrorCode } from './errors.ts'
import { formatFromSuffix } from './format-suffix.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address, from `ClientAddresses`; null on a Unix socket. */
    readonly clientAddress: string | null
  }
}

/** What a stop leaves to requests. The rest of its ten seconds is for jobs, the pipeline, the log and the engines. */
const FINISH_WITHIN_MS = 4_000

/**
 * Requests that were accepted are finished. Connections that are still open then are cut, which also ends the questions
 * asked on them: clients keep connections without a request, send half of one, or ask for what takes a minute.
 */
export async function closeServer(app: FastifyInstance): Promise<void> {
  const closed = app.close()
  await atMost(FINISH_WITHIN_MS, closed)
  app.server.closeAllConnections()
  await closed
}

/** The one HTTP server: capture, management API and web app are plugins on it. */
export function createServer({
  log,
  bodyLimit = 20 * 1024 * 1024,
  addresses = new ClientAddresses(),
  connections,
}: {
  log: Logger
  bodyLimit?: number
  addresses?: ClientAddresses
  connections?: Parameters<typeof shareConnections>[2]
}): FastifyInstance {
  const app = Fastify({
    bodyLimit,
    trustProxy: addresses.trusts,
    forceCloseConnections: 'idle',
    rewriteUrl: ({ url = '/' }) => formatFromSuffix(url),
    requestTimeout: 120_000,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: false,
      maxParamLength: 1_000,
      caseSensitive: true,
    },
    frameworkErrors: (error, _request, reply) => void sendError(log, error, reply),
    clientErrorHandler: refuseMalformed,
  })
  shareConnections(app.server, addresses, connections)
  app.decorateRequest('clientAddress', {
    getter(this: FastifyRequest) {
      return addresses.of(this.raw)
    },
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    // A body that no handler reads is not read at all.
    if (request.is404 && !BODILESS.has(request.method)) sendError(log, notFound(request), reply, request)
    else done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(log, error, reply, request))
  app.setNotFoundHandler((request, reply) => sendError(log, notFound(request), reply, request))
  return app
}

const BODILESS = new Set(['GET', 'HEAD', 'OPTIONS'])

const notFound = ({ url }: FastifyRequest): ApiError =>
  new ApiError('not_found', url.startsWith('/api') ? 'Endpoint not found.' : undefined)

/** For bytes that are not a valid request: the answer is written to the socket, which is then closed. */
function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const refusal = new ApiError(MALFORMED[error.code ?? ''] ?? 'malformed_request')
  const body = JSON.stringify(refusal.body())
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

const MALFORMED: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Any error becomes {type, code, detail, attr}; clients never see a stack trace. */
export function sendError(log: Logger, error: Error, reply: FastifyReply, request?: FastifyRequest): FastifyReply {
  const answer = answerTo(error)
  // The client has closed the connection, which cancelled the work: not an error.
  const gone = request?.raw.socket?.destroyed === true
  if (answer.status >= 500 && !gone) {
    log.error({ err: error, method: request?.method, path: request?.url.split('?')[0] }, 'request failed')
  }
  return reply.headers(answer.headers()).code(answer.status).type('application/json; charset=utf-8').send(answer.body())
}

/** Turns Fastify's own errors into ours; details of other errors are not shown. */
function answerTo(error: Error & { code?: string; statusCode?: number }): ApiError {
  if (error instanceof ApiError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type')
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('parse_error', `JSON parse error - ${error.message}`)
    case 'FST_ERR_BAD_URL':
      return new ApiError('not_found')
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return new ApiError('parse_error', error.message)
  return new ApiError('error')
}
