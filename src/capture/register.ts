import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type GeoLookup, geoOfCountry, geoText } from '../events/index.ts'
import { ClientAddresses, networkOf } from '../http/client-address.ts'
import { ApiError } from '../http/errors.ts'
import { inFront } from '../http/in-front.ts'
import { type JsonObject, stringifyJson } from '../lib/json.ts'
import type { LogWriter } from '../log/index.ts'
import { BodyBudget, type BudgetLimits, type OnHeldBack } from './http/body-budget.ts'
import { earlyKey } from './http/early-key.ts'
import { type PublicRoute, publicScope, type RefusalObserver } from './http/public-scope.ts'
import { pathOfUrl, queryOfUrl } from './http/query.ts'
import { type Body, readBody, whole } from './http/read-body.ts'
import { type BrakeLimits, RefusalBrake } from './http/refusal-brake.ts'
import { CaptureRequest, respond, respondWith, respondWithError } from './http/respond.ts'
import { LIMITS } from './limits.ts'
import { openCapture, parseCapture, type RequestMeta } from './parse-capture.ts'
import { findProject } from './projects/find-project.ts'
import type { ProjectDirectory, ProjectSettings } from './projects/project-directory.ts'
import { answerFlags, type FlagRequestDeps } from './sdk/flag-requests.ts'
import { LargeQuestions } from './sdk/large-questions.ts'
import { pixelRoute } from './sdk/pixel.ts'
import { type SdkDeps, sdkRoutes } from './sdk/routes.ts'
import { DecodedTooLarge } from './stages/decode.ts'
import type { Records } from './stages/records.ts'
import { checkKey, type Shaped } from './stages/shape.ts'
import { UnsureAppends } from './unsure-appends.ts'
import { answerV1 } from './v1/answer.ts'
import type { V1Headers } from './v1/headers.ts'
import { BodyWorkers, type ParsedCapture } from './workers/body-workers.ts'

/**
 * The capture endpoints: read -> parse (decode, shape, admit, records) -> append -> respond.
 * The response is 200 only after the records are durable.
 */
export interface CaptureDeps extends RefusalObserver {
  readonly log: LogWriter
  /** How many partitions of the log take live events. */
  readonly livePartitions: number
  readonly projects: ProjectDirectory
  /** Feature flags; without them every project has none. */
  readonly flags?: SdkDeps['flags']
  /** Finds the client's address. Without it no proxy is trusted. */
  readonly addresses?: ClientAddresses
  /** Where addresses are. */
  readonly geo?: GeoLookup | undefined
  /** Memory limits for bodies that differ from `LIMITS`. */
  readonly bodyLimits?: Partial<BudgetLimits>
  /** How often an address may be refused before it has to wait, if not the default. */
  readonly refusalLimits?: Partial<BrakeLimits>
  /**
   * Called for each request that was slowed down, evicted or refused to protect others; for metrics. Must not throw.
   */
  onHeldBack?: OnHeldBack
  /** Called for each request for flags that was answered; for metrics. Must not throw. */
  onFlagsAnswered?: FlagRequestDeps['onFlagsAnswered']
  /** Called after a request's records are durable; for metrics and the live view. Must not throw. */
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

/** The documented paths are POST only; the older ones also take GET with `data`. */
const POST_PATHS = ['/i/v0/e', '/batch', '/i/v0/ai/batch']
const OLDER_PATHS = ['/e', '/capture', '/track', '/engage']
const BATCH_PATHS = new Set(['/batch', '/i/v0/ai/batch'])
const RECORDING_PATH = '/s'
const FLAG_PATHS = ['/flags', '/decide'] as const
type FlagPath = (typeof FLAG_PATHS)[number]

/** What the requests share. */
interface Shared {
  readonly addresses: ClientAddresses
  readonly budget: BodyBudget
  readonly workers: BodyWorkers
  readonly brake: RefusalBrake
  readonly appends: UnsureAppends
}

/** Adds all routes for SDKs: the capture paths, and the configuration that SDKs read before they send. */
export async function registerCapture(app: FastifyInstance, deps: CaptureDeps): Promise<void> {
  const onHeldBack: OnHeldBack = (reason, client) => deps.onHeldBack?.(reason, client)
  const shared: Shared = {
    addresses: deps.addresses ?? new ClientAddresses(),
    budget: new BodyBudget(deps.bodyLimits, onHeldBack),
    workers: new BodyWorkers({ onHeldBack }),
    brake: new RefusalBrake(deps.refusalLimits),
    appends: new UnsureAppends(deps.log),
  }
  app.addHook('onClose', async () => {
    shared.budget.close()
    await shared.workers.close()
  })
  const senderOf = (request: IncomingMessage) => senderAt(shared.addresses.of(request))
  const capture = (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> =>
    respond(
      new CaptureRequest(path, request, response, app.server),
      store(request, path, limitOf(path), undefined, deps, shared),
      deps,
    )

  const paths = [...POST_PATHS, ...OLDER_PATHS, RECORDING_PATH]
  const routes = paths.map(
    (path): PublicRoute => ({
      path,
      methods: POST_PATHS.includes(path) ? ['POST'] : ['GET', 'POST'],
      handler: async (request, reply) => {
        reply.hijack()
        await capture(path, request.raw, reply.raw)
        return reply
      },
    }),
  )
  const v1: PublicRoute = {
    path: '/i/v1/analytics/events',
    methods: ['POST'],
    handler: (request, reply) => answerV1(request, reply, (headers) => captureV1(request.raw, headers, deps, shared)),
  }
  const flagRequests = { ...deps, ...shared, largeQuestions: new LargeQuestions(), onHeldBack, senderOf }
  const answer = (path: FlagPath, request: IncomingMessage, response: ServerResponse): Promise<void> =>
    respondWith(new CaptureRequest(path, request, response, app.server), answerFlags(path, request, flagRequests), deps)
  const flagRoutes = FLAG_PATHS.map(
    (path): PublicRoute => ({
      path,
      methods: ['GET', 'POST', 'HEAD'],
      handler: async (request, reply) => {
        reply.hijack()
        await answer(path, request.raw, reply.raw)
        return reply
      },
    }),
  )
  const addressOf = (request: IncomingMessage) => shared.addresses.of(request)
  await publicScope(app, deps, [
    ...routes,
    v1,
    pixelRoute(async (item, request) => storeItem(item, request.raw, deps, shared)),
    ...flagRoutes,
    ...sdkRoutes({ projects: deps.projects, flags: deps.flags, addressOf }),
  ])

  const capturePaths = new Map(paths.flatMap((path) => [[path, path] as const, [`${path}/`, path] as const]))
  const flagPaths = new Map<string, FlagPath>(
    FLAG_PATHS.flatMap((path) => [[path, path] as const, [`${path}/`, path] as const]),
  )
  inFront(app, (request, response, closing) => {
    const asked = pathOfUrl(request.url)
    const path = capturePaths.get(asked)
    const flagPath = path === undefined && request.method === 'POST' ? flagPaths.get(asked) : undefined
    const early = path ?? flagPath
    if (early === undefined) return false
    if (request.method !== 'POST' && (request.method !== 'GET' || POST_PATHS.includes(early))) return false
    if (closing) response.shouldKeepAlive = false
    if (closing) respondWithError(new CaptureRequest(early, request, response, app.server), stopping(), deps)
    else if (flagPath !== undefined) void answer(flagPath, request, response)
    else if (path !== undefined) void capture(path, request, response)
    return true
  })
}

const senderAt = (address: string | null): string | null => (address === null ? null : networkOf(address))

const stopping = () => new ApiError('unavailable', undefined, { retryAfterSeconds: 5 })

const limitOf = (path: string) => (path === RECORDING_PATH ? LIMITS.recordingBodyBytes : LIMITS.eventBodyBytes)

const captureV1 = (request: IncomingMessage, v1: V1Headers, deps: CaptureDeps, shared: Shared): Promise<Records> =>
  store(request, '/i/v1/analytics/events', LIMITS.v1BodyBytes, v1, deps, shared)

/** Resolves when all records of the request are durable. */
async function store(
  request: IncomingMessage,
  path: string,
  limit: number,
  v1: V1Headers | undefined,
  deps: CaptureDeps,
  { addresses, budget, workers, brake, appends }: Shared,
): Promise<Records> {
  const address = addresses.of(request)
  // A key in the headers is looked up before anything is read.
  if (v1) await findProject(v1.key, deps.projects)
  const body = await readBody(request, limit, budget, senderAt(address))
  const { bytes, holding } = body
  try {
    const parsed = parse(body, requestMetaOf(request, path, v1, deps, addresses), deps, workers)
    const { records, project } = parsed instanceof Promise ? await parsed : parsed
    holding.assign(project.id)
    await appends.append(records.entries)
    const { events, recordings, warnings } = records
    deps.onAppended?.({ path, project: project.id, bytes, events, recordings, warnings })
    if (records.refused) throw new ApiError(records.refused)
    return records
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    holding.release()
    if (await brake.refused(holding.address, holding.large)) deps.onHeldBack?.('refusals', holding)
    throw error
  } finally {
    holding.release()
  }
}

/** Stores an event that a request describes in its address. */
async function storeItem(
  item: JsonObject,
  request: IncomingMessage,
  deps: CaptureDeps,
  { addresses, appends }: Shared,
): Promise<void> {
  const meta: RequestMeta = { ...requestMetaOf(request, '/pixel.gif', undefined, deps, addresses), query: '' }
  const shaped = openCapture(Buffer.from(stringifyJson(item)), meta, LIMITS.inlineBytes)
  const project = await findProject(shaped.key, deps.projects)
  const { entries, events, recordings, warnings } = parseCapture(meta, shaped, project)
  await appends.append(entries)
  deps.onAppended?.({ path: '/pixel.gif', project: project.id, bytes: 0, events, recordings, warnings })
}

/** Headers in which proxies of content networks name the country of the client. */
const COUNTRY_HEADERS = ['cf-ipcountry', 'x-vercel-ip-country', 'cloudfront-viewer-country'] as const

/** By the file of addresses, or by a proxy that is trusted. */
function geoOfRequest(
  request: IncomingMessage,
  address: string | null,
  { geo }: CaptureDeps,
  addresses: ClientAddresses,
): string {
  const found = address === null ? null : (geo?.find(address) ?? null)
  if (found !== null) return geoText(found)
  const named = COUNTRY_HEADERS.find((name) => typeof request.headers[name] === 'string')
  if (named === undefined || !addresses.trusts(addresses.peerOf(request.socket) ?? '')) return ''
  return geoText(geoOfCountry(String(request.headers[named]).toUpperCase()))
}

function requestMetaOf(
  request: IncomingMessage,
  path: string,
  v1: V1Headers | undefined,
  deps: CaptureDeps,
  addresses: ClientAddresses,
): RequestMeta {
  const ip = addresses.of(request)
  return {
    query: queryOfUrl(request.url),
    contentEncoding: request.headers['content-encoding'],
    userAgent: request.headers['user-agent'],
    ip,
    geo: geoOfRequest(request, ip, deps, addresses),
    asksNot: request.headers.dnt === '1' || request.headers['sec-gpc'] === '1',
    receivedAt: Date.now(),
    livePartitions: deps.livePartitions,
    mayComeTwice: deps.log.mayComeTwice,
    engage: path === '/engage',
    batch: BATCH_PATHS.has(path),
    upload: path === RECORDING_PATH,
    v1,
  }
}

/**
 * Small bodies here, large ones in a worker thread. The size of a compressed body is known only after decompressing it.
 */
function parse(
  body: Body,
  meta: RequestMeta,
  deps: CaptureDeps,
  workers: BodyWorkers,
): ParsedCapture | Promise<ParsedCapture> {
  const shaped = body.bytes > LIMITS.inlineBytes ? null : openIfSmall(body, meta)
  if (!shaped) return parseLarge(body, meta, deps, workers)
  const project = findProject(shaped.key, deps.projects)
  const finish = (found: ProjectSettings): ParsedCapture => ({
    project: found,
    records: parseCapture(meta, shaped, found),
  })
  return project instanceof Promise ? project.then(finish) : finish(project)
}

/** If the key is in the first bytes, it is looked up before the body waits for a thread. */
async function parseLarge(
  body: Body,
  meta: RequestMeta,
  { projects }: CaptureDeps,
  workers: BodyWorkers,
): Promise<ParsedCapture> {
  body.holding.large = true
  const key = meta.v1?.key ?? earlyKey(body)
  const project = key === null ? null : await findProject(checkKey(key), projects)
  if (project) body.holding.assign(project.id)
  return workers.run({
    meta,
    blocks: body.blocks,
    findProject: async (named) => findProject(named, projects),
    from: { owner: project ? String(project.id) : 'unknown', sender: body.holding.address ?? '' },
  })
}

function openIfSmall(body: Body, meta: RequestMeta): Shaped | null {
  try {
    return openCapture(whole(body), meta, meta.upload ? LIMITS.inlineUploadBytes : LIMITS.inlineBytes)
  } catch (error) {
    if (error instanceof DecodedTooLarge) return null
    throw error
  }
}
