import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LogWriter } from '../log/index.ts'
import { BodyWorkers, type TakenIn } from './body-workers.ts'
import { clientIp } from './client-ip.ts'
import { DecodedTooLarge } from './decode.ts'
import { findProject } from './find-project.ts'
import { LIMITS } from './limits.ts'
import type { ProjectDirectory } from './project-directory.ts'
import { type PublicRoute, publicScope, type RefusalObserver } from './public-scope.ts'
import { queryString } from './query.ts'
import { BodyBudget, readBody } from './read-body.ts'
import type { Records } from './records.ts'
import { sdkRoutes } from './sdk/routes.ts'
import type { Shaped } from './shape.ts'
import { type Incoming, open, takeIn } from './take-in.ts'
import { answerV1 } from './v1/answer.ts'
import type { V1Headers } from './v1/headers.ts'

/**
 * The capture endpoints: read -> take in (decode, shape, admit, records) -> append -> answer.
 * The answer is 200 only after the records are durable.
 */
export interface CaptureDeps extends RefusalObserver {
  readonly log: LogWriter
  readonly projects: ProjectDirectory
  /** Told after a request's records are durable; for metrics and the live view. Must not throw. */
  onAppended?(appended: Appended): void
}

export interface Appended {
  readonly path: string
  readonly project: number
  readonly bytes: number
  readonly events: number
  readonly recordings: number
  readonly warnings: Records['warnings']
}

const EVENT_PATHS = ['/i/v0/e', '/batch', '/e', '/capture', '/track', '/engage', '/i/v0/ai/batch']
const RECORDING_PATH = '/s'

/** What the requests share. */
interface Shared {
  readonly budget: BodyBudget
  readonly workers: BodyWorkers
}

/** Adds everything that SDKs ask for: the capture paths, and what they want to know before they send. */
export async function registerCapture(app: FastifyInstance, deps: CaptureDeps): Promise<void> {
  const shared: Shared = { budget: new BodyBudget(), workers: new BodyWorkers() }
  app.addHook('onClose', () => shared.workers.close())
  const routes = [...EVENT_PATHS, RECORDING_PATH].map(
    (path): PublicRoute => ({
      path,
      methods: ['GET', 'POST'],
      handler: (request, reply) => capture(request, reply, path, deps, shared),
    }),
  )
  const v1: PublicRoute = {
    path: '/i/v1/analytics/events',
    methods: ['POST'],
    handler: (request, reply) => answerV1(request, reply, (headers) => captureV1(request, headers, deps, shared)),
  }
  await publicScope(app, deps, [...routes, v1, ...sdkRoutes({ projects: deps.projects, budget: shared.budget })])
}

async function capture(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  deps: CaptureDeps,
  shared: Shared,
): Promise<FastifyReply> {
  const limit = path === RECORDING_PATH ? LIMITS.recordingBodyBytes : LIMITS.eventBodyBytes
  const { warnings } = await store(request, path, limit, {}, deps, shared)
  const limited = warnings.some(({ type }) => type === 'recording_quota_reached')
  return answer(queryString(request), reply, limited ? QUOTA_LIMITED : OK)
}

const captureV1 = (request: FastifyRequest, v1: V1Headers, deps: CaptureDeps, shared: Shared): Promise<Records> =>
  store(request, '/i/v1/analytics/events', LIMITS.v1BodyBytes, { v1 }, deps, shared)

/** Resolves when everything that the request holds is durable. */
async function store(
  request: FastifyRequest,
  path: string,
  limit: number,
  protocol: Pick<Incoming, 'v1'>,
  deps: CaptureDeps,
  { budget, workers }: Shared,
): Promise<Records> {
  const body = await readBody(request.raw, limit, budget)
  const bytes = body.length
  try {
    const { records, project } = await handle({ ...incomingOf(request, body, path), ...protocol }, deps, workers)
    await deps.log.append(records.entries)
    const { events, recordings, warnings } = records
    deps.onAppended?.({ path, project: project.id, bytes, events, recordings, warnings })
    return records
  } finally {
    budget.giveBack(bytes)
  }
}

function incomingOf(request: FastifyRequest, body: Buffer, path: string): Incoming {
  return {
    body,
    query: queryString(request),
    contentEncoding: request.headers['content-encoding'],
    userAgent: request.headers['user-agent'],
    ip: clientIp(request.raw),
    receivedAt: Date.now(),
    engage: path === '/engage',
    upload: path === RECORDING_PATH,
  }
}

/** Small bodies here, large ones in a worker thread. How large a compressed body is shows only when it is unpacked. */
async function handle(incoming: Incoming, deps: CaptureDeps, workers: BodyWorkers): Promise<TakenIn> {
  const shaped = openIfSmall(incoming)
  if (!shaped) return workers.run({ incoming, findProject: (key) => findProject(key, deps.projects) })
  const project = await findProject(shaped.key, deps.projects)
  return { project, records: takeIn(incoming, shaped, project) }
}

function openIfSmall(incoming: Incoming): Shaped | null {
  try {
    return open(incoming, incoming.upload ? LIMITS.inlineUploadBytes : LIMITS.inlineBytes)
  } catch (error) {
    if (error instanceof DecodedTooLarge) return null
    throw error
  }
}

const OK = JSON.stringify({ status: 'Ok' })
/** The browser then keeps quiet about recordings for a minute. */
const QUOTA_LIMITED = JSON.stringify({ status: 'Ok', quota_limited: ['recordings'] })
const BEACON = /(?:^|&)beacon=1(?:&|$)/

function answer(query: string, reply: FastifyReply, body: string): FastifyReply {
  if (BEACON.test(query)) return reply.code(204).send()
  return reply.code(200).header('content-type', 'application/json; charset=utf-8').send(body)
}
