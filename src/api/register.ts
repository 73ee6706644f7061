import type { FastifyError, FastifyInstance } from 'fastify'
import { ApiError } from '../http/errors.ts'
import { sendError } from '../http/server.ts'
import { parseJson } from '../lib/json.ts'
import { credentials } from './authenticate.ts'
import type { ApiContext } from './context.ts'
import { addEventRoutes } from './events.ts'
import { addLiveRoutes } from './live.ts'
import { addProjectRoutes } from './projects.ts'
import { ApiRoutes } from './route.ts'
import { addTrendRoutes } from './trend.ts'
import { addWarningRoutes } from './warnings.ts'

/** The management API: one file a resource. */
export async function registerApi(app: FastifyInstance, context: ApiContext): Promise<void> {
  await app.register(async (scope) => {
    readJsonBodies(scope)
    scope.setErrorHandler((error: FastifyError, request, reply) => {
      // Without credentials nothing else about the request is of interest, not even that its body is no JSON.
      const unreadable = !(error instanceof ApiError) && (error.statusCode ?? 500) < 500
      return sendError(
        context.log,
        unreadable && !credentials(request) ? new ApiError('not_authenticated') : error,
        reply,
        request,
      )
    })
    const routes = new ApiRoutes(scope, context)
    addProjectRoutes(routes)
    addEventRoutes(routes)
    addLiveRoutes(routes)
    addTrendRoutes(routes)
    addWarningRoutes(routes)
  })
}

function readJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    try {
      done(null, parseJson(body as string))
    } catch (error) {
      done(
        Object.assign(new ApiError('parse_error', `JSON parse error - ${(error as Error).message}`), {
          statusCode: 400,
        }),
      )
    }
  })
  scope.addContentTypeParser('*', (request, payload, done) => {
    payload.resume()
    done(
      Object.assign(
        new ApiError(
          'unsupported_media_type',
          `Unsupported media type "${request.headers['content-type']}" in request.`,
        ),
        { statusCode: 415 },
      ),
    )
  })
}
