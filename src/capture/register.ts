import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { ApiError } from '../http/errors.ts'
import { LogUnavailable, type LogWriter } from '../log/index.ts'
import { BodyWorkers, type TakenIn } from './body-workers.ts'
import { clientIp } from './client-ip.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import { DecodedTooLarge } from './decode.ts'
import { LIMITS } from './limits.ts'
import type { ProjectDirectory, ProjectSettings } from './project-directory.ts'
import { BodyBudget, ClientGone, readBody, tooLarge } from './read-body.ts'
import type { Records } from './records.ts'
import type { Shaped } from './shape.ts'
import { type Incoming, open, takeIn } from './take-in.ts'

/**
 * The capture endpoints: read -> take in (decode, shape, admit, records) -> append -> answer.
 * The answer is 200 only after the records are durable.
 */
export interface CaptureDeps {
  readonly log: LogWriter
  readonly projects: ProjectDirectory
  /** Told after a request's records are durable; for metrics and the live view. Must not throw. */
  onAppended?(appended: Appended): void
  /** Told of each request that got an error; for metrics. Must not throw. */
  onRefused?(refused: { readonly path: string; readonly code: string; readonly status: number }): void
}

export interface Appended {
  readonly path: string
  readonly project: number
  readonly bytes: number
  readonly events: number
  readonly recordings: number
  readonly warnings: Records['warnings']
}

/** What the requests share. */
interface Shared {
  readonly budget: BodyBudget
  readonly workers: BodyWorkers
}

const EVENT_PATHS = ['/i/v0/e', '/batch', '/e', '/capture', '/track', '/engage']
const RECORDING_PATH = '/s'
const OTHER_METHODS: HTTPMethods[] = ['PUT', 'PATCH', 'DELETE', 'HEAD']

export async function registerCapture(app: FastifyInstance, deps: CaptureDeps): Promise<void> {
  const shared: Shared = { budget: new BodyBudget(), workers: new BodyWorkers() }
  app.addHook('onClose', () => shared.workers.close())
  await app.register(async (scope) => {
    readBodiesOurselves(scope)
    scope.addHook('onRequest', async (request, reply) => allowOrigin(request, reply))
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, deps))
    for (const path of [...EVENT_PATHS, RECORDING_PATH]) {
      const limit = path === RECORDING_PATH ? LIMITS.recordingBodyBytes : LIMITS.eventBodyBytes
      const handler = (request: FastifyRequest, reply: FastifyReply) =>
        capture(request, reply, path, limit, deps, shared)
      for (const url of [path, `${path}/`]) {
        scope.route({ method: ['GET', 'POST'], url, exposeHeadRoute: false, handler })
        scope.route({ method: 'OPTIONS', url, handler: (request, reply) => answerPreflight(request, reply) })
        scope.route({ method: OTHER_METHODS, url, handler: refuseMethod })
      }
    }
  })
}

async function capture(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  limit: number,
  deps: CaptureDeps,
  { budget, workers }: Shared,
): Promise<FastifyReply> {
  const body = await readBody(request.raw, limit, budget)
  try {
    const incoming = incomingOf(request, body, path)
    const { records, project } = await handle(incoming, deps, workers)
    await deps.log.append(records.entries)
    const { events, recordings, warnings } = records
    deps.onAppended?.({ path, project: project.id, bytes: body.length, events, recordings, warnings })
    return answer(incoming, reply)
  } finally {
    budget.giveBack(body.length)
  }
}

function incomingOf(request: FastifyRequest, body: Buffer, path: string): Incoming {
  const url = request.raw.url ?? ''
  const mark = url.indexOf('?')
  return {
    body,
    query: mark < 0 ? '' : url.slice(mark + 1),
    contentEncoding: request.headers['content-encoding'],
    userAgent: request.headers['user-agent'],
    ip: clientIp(request.raw),
    receivedAt: Date.now(),
    engage: path === '/engage',
  }
}

/** Small bodies here, large ones in a worker thread. How large a compressed body is shows only when it is unpacked. */
async function handle(incoming: Incoming, deps: CaptureDeps, workers: BodyWorkers): Promise<TakenIn> {
  const shaped = openIfSmall(incoming)
  if (!shaped) return workers.run({ incoming, findProject: (key) => projectOf(key, deps.projects) })
  const project = await projectOf(shaped.key, deps.projects)
  return { project, records: takeIn(incoming, shaped, project) }
}

function openIfSmall(incoming: Incoming): Shaped | null {
  try {
    return open(incoming, LIMITS.inlineBytes)
  } catch (error) {
    if (error instanceof DecodedTooLarge) return null
    throw error
  }
}

async function projectOf(key: string, projects: ProjectDirectory): Promise<ProjectSettings> {
  const found = projects.find(key)
  const project = found instanceof Promise ? await found : found
  if (!project)
    throw new ApiError('invalid_api_key', 'No project has this API key: copy it from the project settings.', {
      attr: 'api_key',
    })
  return project
}

const OK = JSON.stringify({ status: 'Ok' })
const BEACON = /(?:^|&)beacon=1(?:&|$)/

function answer(incoming: Incoming, reply: FastifyReply): FastifyReply {
  if (BEACON.test(incoming.query)) return reply.code(204).send()
  return reply.code(200).header('content-type', 'application/json; charset=utf-8').send(OK)
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, deps: CaptureDeps): FastifyReply {
  if (error instanceof ClientGone) return reply.hijack()
  const known = toApiError(error)
  if (known.status >= 500) request.log.error({ err: error }, 'capture request failed')
  deps.onRefused?.({ path: request.routeOptions.url ?? '', code: known.code, status: known.status })
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  return reply.code(known.status).send(known.body())
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof LogUnavailable)
    return new ApiError('overloaded', undefined, { retryAfterSeconds: error.retryAfterSeconds })
  if (error instanceof DecodedTooLarge) return tooLarge(LIMITS.decodedBytes)
  return new ApiError('error')
}

const refuseMethod = (request: FastifyRequest): never => {
  throw new ApiError('method_not_allowed', `Method ${request.method} is not allowed here: use POST.`)
}

/**
 * Whatever the content type claims, even nonsense that Fastify would refuse: the body stays in the stream for `readBody`.
 */
function readBodiesOurselves(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
  scope.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']
  })
}
