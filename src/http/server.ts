import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from '../lib/logger.ts'
import { ApiError } from './errors.ts'
import { formatFromSuffix } from './format-suffix.ts'

/** The one HTTP server: capture, management API and web app are plugins on it. */
export function createServer({
  log,
  bodyLimit = 20 * 1024 * 1024,
}: {
  log: Logger
  bodyLimit?: number
}): FastifyInstance {
  const app = Fastify({
    bodyLimit,
    trustProxy: true,
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
  })
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(log, error, reply, request))
  app.setNotFoundHandler((request, reply) =>
    sendError(
      log,
      new ApiError('not_found', request.url.startsWith('/api') ? 'Endpoint not found.' : undefined),
      reply,
      request,
    ),
  )
  return app
}

/** Whatever went wrong, the client gets {type, code, detail, attr} and never a stack trace. */
export function sendError(log: Logger, error: Error, reply: FastifyReply, request?: FastifyRequest): FastifyReply {
  const answer = toApiError(error)
  // Whoever has gone away cancelled the work: that is no failure of ours.
  const gone = request?.raw.socket?.destroyed === true
  if (answer.status >= 500 && !gone) {
    log.error({ err: error, method: request?.method, path: request?.url.split('?')[0] }, 'request failed')
  }
  if (answer.retryAfterSeconds !== undefined) reply.header('retry-after', String(answer.retryAfterSeconds))
  return reply.code(answer.status).type('application/json; charset=utf-8').send(answer.body())
}

function toApiError(error: Error & { code?: string; statusCode?: number }): ApiError {
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
