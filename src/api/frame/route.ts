import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RequestPayload } from 'fastify'
import type { Caller } from '../../accounts/index.ts'
import { questionsOf } from '../../engines/clickhouse/index.ts'
import { ApiError } from '../../http/errors.ts'
import { stringifyJson } from '../../lib/json.ts'
import { noContent, notAllowed, statusOf } from './answer.ts'
import { auditCall } from './audit.ts'
import { authenticate, credentials, requireScope } from './authenticate.ts'
import { limitedBody, OF_LISTS } from './body-limits.ts'
import { unbracketed } from './bracketed.ts'
import type { ApiContext, ProjectCall, PublicCall } from './context.ts'
import { csvOf, sendCsv } from './csv.ts'
import type { AnyEndpoint, Endpoints, Method } from './endpoint.ts'
import type { OtherProcesses } from './other-processes.ts'
import { accessProject } from './project-access.ts'
import { RateLimits } from './rate-limits.ts'
import { sessionToken } from './session-cookie.ts'
import { validate } from './validate.ts'

export { endpoint, projectEndpoint, publicEndpoint } from './endpoint.ts'

/**
 * How every management endpoint is served: format -> authenticate -> scope -> project -> rate -> read the body -> look
 * up -> validate -> handle. An endpoint says what it needs and what it answers (endpoint.ts); this file does the rest,
 * and keeps a list of all endpoints for the API's own description. Only a key that stands in the body lets a (small)
 * body be read first.
 */
const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Everything about persons and insights takes `format=csv`. */
const ALSO_CSV = /^(persons|insights)\//

const withCsv = (endpoints: Endpoints): Endpoints =>
  Object.fromEntries(Object.entries(endpoints).map(([method, it]) => [method, { ...it, csv: true }]))

declare module 'fastify' {
  interface FastifyContextConfig {
    described?: DescribedEndpoint
  }
}

export interface DescribedEndpoint {
  readonly path: string
  readonly method: Method
  readonly endpoint: AnyEndpoint
}

export class ApiRoutes {
  readonly endpoints: DescribedEndpoint[] = []
  readonly #app: FastifyInstance
  readonly #context: ApiContext
  readonly #limits: RateLimits | null
  readonly #admitted = new WeakMap<FastifyRequest, Admitted>()

  constructor(app: FastifyInstance, context: ApiContext) {
    this.#app = app
    this.#context = context
    this.#limits = context.rateLimits ? new RateLimits() : null
  }

  async shareWith(others: OtherProcesses): Promise<void> {
    await this.#limits?.shareWith(others)
  }

  /** An endpoint outside any project, such as `/api/projects/`. */
  add(path: string, endpoints: Endpoints): void {
    this.#register(path, path, endpoints, false)
  }

  /** An endpoint of a project, under /api/environments/:project_id/ and /api/projects/:project_id/ alike. */
  addToProject(path: string, endpoints: Endpoints): void {
    const described = `/api/environments/:project_id/${path}`
    const given = ALSO_CSV.test(path) ? withCsv(endpoints) : endpoints
    this.#register(described, described, given, true)
    this.#register(`/api/projects/:project_id/${path}`, null, given, true)
  }

  #register(path: string, describedAs: string | null, endpoints: Endpoints, inProject: boolean): void {
    const url = path.replace(/\/$/, '')
    const allowed = allowedMethods(endpoints)
    for (const [method, it] of Object.entries(endpoints) as [Method, AnyEndpoint][]) {
      if (describedAs !== null) this.endpoints.push({ path: describedAs, method, endpoint: it })
      this.#app.route({
        method,
        url,
        config: { described: { path: describedAs ?? path, method, endpoint: it } },
        exposeHeadRoute: method === 'GET',
        bodyLimit: OF_LISTS,
        onRequest: (request, reply) => this.#admitEarly(it, inProject, request, reply),
        preParsing: async (request, _reply, payload) =>
          limitedBody(request, payload, { isKnown: this.#admitted.has(request), most: it.mostBytes }),
        handler: (request, reply) =>
          this.#serve(it, inProject, request, it.answer === notAllowed ? reply.header('allow', allowed) : reply),
      })
    }
    const others = METHODS.filter((method) => !(method in endpoints) && !(method === 'HEAD' && 'GET' in endpoints))
    this.#app.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) => reply.code(204).header('allow', allowed).send(),
    })
    if (others.length > 0) {
      const handler = (request: FastifyRequest, reply: FastifyReply) =>
        this.#refuseMethod(request, reply.header('allow', allowed))
      const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
        if (saysWho(request)) await handler(request, reply)
      }
      const preParsing = async (request: FastifyRequest, _reply: FastifyReply, payload: RequestPayload) =>
        limitedBody(request, payload, { isKnown: false })
      this.#app.route({ method: others, url, onRequest, preParsing, handler })
    }
  }

  /** Before the body is read, when the request says who sends it without it. */
  async #admitEarly(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (it.access === 'anyone' || !saysWho(request)) return
    this.#admitted.set(request, await this.#admit(it, inProject, request, reply))
  }

  async #serve(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const admitted = this.#admitted.get(request) ?? (await this.#admit(it, inProject, request, reply))
    const { query, ...call } = admitted
    await it.exists?.(call as never)
    const validated = {
      ...call,
      query: it.query ? validate(it.query, query) : query,
      // No body at all is an object without fields; `null` is no object.
      body: it.body ? validate(it.body, request.body === undefined ? {} : request.body) : request.body,
    }
    const answer = await it.handle(validated as never)
    if (call.caller) await this.#audit(it, { ...call, caller: call.caller }, validated, answer)
    if (reply.sent || answer === reply) return reply
    reply.code(statusOf(it))
    if (answer === undefined || it.answer === noContent) return reply.send()
    if (call.format === 'csv') return sendCsv(reply, 'answer', csvOf(answer))
    return reply.type('application/json; charset=utf-8').send(stringifyJson(answer))
  }

  async #audit(
    it: AnyEndpoint,
    call: Parameters<typeof auditCall>[0] & { readonly format: 'json' | 'csv'; readonly url: URL },
    validated: object,
    answer: unknown,
  ): Promise<void> {
    const note = (await it.audit?.(validated as never, answer as never)) ?? null
    if (note !== null) await auditCall(call, note)
    if (call.format === 'csv')
      await auditCall(call, { scope: 'Export', activity: 'exported', itemId: call.url.pathname })
  }

  async #admit(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply): Promise<Admitted> {
    const query = unbracketed(request.query as Record<string, unknown>)
    const params = request.params as Record<string, string>
    const base = {
      ...this.#context,
      params,
      query,
      url: new URL(request.url, this.#context.publicUrl),
      format: formatOf(query.format, request.headers.accept, it.csv === true),
      request,
      reply,
      signal: whenGone(reply),
    }
    if (it.access === 'anyone') return base
    const caller = await this.#authenticate(request, reply)
    if (it.access === 'session' && caller.key !== null)
      throw new ApiError('permission_denied', 'This action does not support Personal API Key access')
    requireScope(caller, it.scope)
    const limit = () => this.#limits?.admit(caller, it, request.routeOptions.url ?? '', this.#context.now().getTime())
    if (inProject) {
      const project = await accessProject(this.#context.sql, caller, params.project_id ?? '', tokenIn(request, query))
      limit()
      return { ...base, caller, project, clickhouse: questionsOf(this.#context.clickhouse, project) }
    }
    if (caller.key !== null && caller.key.scoped_projects.length > 0 && !it.forScopedKeys) {
      throw new ApiError(
        'permission_denied',
        'API keys with scoped projects are only supported on project-based endpoints.',
      )
    }
    limit()
    return { ...base, caller }
  }

  async #refuseMethod(request: FastifyRequest, reply: FastifyReply): Promise<never> {
    await this.#authenticate(request, reply)
    throw new ApiError('method_not_allowed', `Method "${request.method}" not allowed.`)
  }

  #authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    return authenticate(this.#context.sql, request, reply, this.#context.publicUrl)
  }
}

type Admitted = Omit<PublicCall, 'body' | 'query'> & { readonly query: Readonly<Record<string, unknown>> } & Partial<
    Pick<ProjectCall, 'caller' | 'project'>
  >

/** Whether it carries credentials that can be looked at without its body. */
const saysWho = (request: FastifyRequest): boolean => credentials(request) !== null || sessionToken(request) !== null

/** The methods an address has, without those that are only there to say why they are refused. */
function allowedMethods(endpoints: Endpoints): string {
  const served = Object.entries(endpoints).flatMap(([method, { answer }]) => (answer === notAllowed ? [] : [method]))
  return [...served, ...(served.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

/** A question may name its project by its API key as well. */
function tokenIn(
  { method }: FastifyRequest,
  { token, api_key }: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = token ?? api_key
  return method === 'GET' && typeof given === 'string' && given !== '' ? given : undefined
}

/** What some endpoint of ours can answer with: JSON, CSV, lines of JSON, a stream of events. */
const SATISFIABLE = /\*\/\*|application\/\*|json|text\/|^\s*$/i

function formatOf(given: unknown, accept: string | undefined, csv: boolean): 'json' | 'csv' {
  if (given === undefined) {
    if (accept !== undefined && !SATISFIABLE.test(accept)) throw new ApiError('not_acceptable')
    return csv && /^\s*text\/csv/i.test(accept ?? '') ? 'csv' : 'json'
  }
  if (given === 'json') return 'json'
  if (given === 'csv' && csv) return 'csv'
  throw new ApiError('not_found')
}

function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort()
  })
  return gone.signal
}
