import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { ApiError } from '../../http/errors.ts'
import { toApiError } from '../stages/refusals.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import { ClientGone } from './read-body.ts'

/**
 * The public routes, called by SDKs on any page: CORS headers on every response, bodies left in the stream for
 * `readBody`, errors in the one form. Each route also answers preflight requests and answers 405 to other methods.
 */
export interface PublicRoute {
  /** Without its trailing slash: it is served with and without. */
  readonly path: string
  readonly methods: readonly ('GET' | 'POST' | 'HEAD')[]
  handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

export interface RefusalObserver {
  /** Called for each request that got an error; for metrics. Must not throw. */
  onRefused?(refused: { readonly path: string; readonly code: string; readonly status: number }): void
  /** Called for an unexpected error, before the client gets a plain 500. Must not throw. */
  onFailed?(failed: { readonly path: string; readonly error: unknown }): void
}

const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

export async function publicScope(
  app: FastifyInstance,
  observer: RefusalObserver,
  routes: readonly PublicRoute[],
): Promise<void> {
  await app.register(async (scope) => {
    leaveBodiesAlone(scope)
    scope.addHook('onRequest', (request, reply, done) => {
      allowOrigin(request, reply)
      done()
    })
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, observer))
    for (const route of routes) addRoute(scope, route)
  })
}

function addRoute(scope: FastifyInstance, { path, methods, handler }: PublicRoute): void {
  const allowed = [...methods, 'OPTIONS'].join(', ')
  const exposeHeadRoute = !methods.includes('POST')
  const taken: readonly string[] = exposeHeadRoute ? [...methods, 'HEAD'] : methods
  const others = METHODS.filter((method) => !taken.includes(method))
  const methodNotAllowed = (request: FastifyRequest, reply: FastifyReply): never => {
    reply.header('allow', allowed)
    throw new ApiError(
      'method_not_allowed',
      `Method ${request.method} is not allowed here: use ${methods.join(' or ')}.`,
    )
  }
  for (const url of spellings(scope, path)) {
    scope.route({ method: [...methods], url, exposeHeadRoute, handler })
    scope.route({ method: 'OPTIONS', url, handler: (request, reply) => answerPreflight(request, reply, allowed) })
    scope.route({ method: others, url, handler: methodNotAllowed })
  }
}

/** With and without the trailing slash, unless the router ignores it: then the two would be one route, added twice. */
function spellings(scope: FastifyInstance, path: string): string[] {
  const { ignoreTrailingSlash, routerOptions } = scope.initialConfig
  const overlooked = ignoreTrailingSlash || routerOptions?.ignoreTrailingSlash
  return path.includes('.') || path.endsWith('*') ? [path] : overlooked ? [`${path}/`] : [path, `${path}/`]
}

/** Bodies are read by `readBody`, whatever the content type says, even one that Fastify would refuse. */
function leaveBodiesAlone(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  scope.addHook('onRequest', (request, _reply, done) => {
    request.raw.headers['content-type'] = undefined
    done()
  })
}

function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  observer: RefusalObserver,
): FastifyReply {
  if (error instanceof ClientGone) return reply.hijack()
  const known = toApiError(error)
  // A bug: the server's own handler logs it and answers.
  if (!known) throw error
  observer.onRefused?.({ path: request.routeOptions.url ?? '', code: known.code, status: known.status })
  // The client is still sending a body that will not be read: close the connection after the response.
  if (!request.raw.complete) reply.header('connection', 'close')
  return reply.headers(known.headers()).code(known.status).type('application/json; charset=utf-8').send(known.body())
}
