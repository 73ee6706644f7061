import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { Caller } from '../../accounts/index.ts'
import { ApiError } from '../../http/errors.ts'
import { stringifyJson } from '../../lib/json.ts'
import { auditCall } from './audit.ts'
import { authenticate, requireScope } from './authenticate.ts'
import { unbracketed } from './bracketed.ts'
import type { ApiContext } from './context.ts'
import { csvOf, sendCsv } from './csv.ts'
import type { AnyEndpoint, Endpoints, Method } from './endpoint.ts'
import { accessProject } from './project-access.ts'
import { RateLimits } from './rate-limits.ts'
import { validate } from './validate.ts'

export { endpoint, projectEndpoint, publicEndpoint } from './endpoint.ts'

/**
 * How every management endpoint is served: format -> authenticate -> scope -> project -> rate -> look up -> validate -> handle. An endpoint says what it
 * needs and what it answers (endpoint.ts); this file does the rest, and keeps a list of all endpoints for the API's own description.
 */
const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** Everything about persons and insights takes `format=csv`. */
const ALSO_CSV = /^(persons|insights)\//

const withCsv = (endpoints: Endpoints): Endpoints =>
  Object.fromEntries(Object.entries(endpoints).map(([method, it]) => [method, { ...it, csv: true }]))

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

  constructor(app: FastifyInstance, context: ApiContext) {
    this.#app = app
    this.#context = context
    this.#limits = context.rateLimits ? new RateLimits() : null
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
    for (const [method, it] of Object.entries(endpoints) as [Method, AnyEndpoint][]) {
      if (describedAs !== null) this.endpoints.push({ path: describedAs, method, endpoint: it })
      this.#app.route({
        method,
        url,
        exposeHeadRoute: method === 'GET',
        handler: (request, reply) => this.#serve(it, inProject, request, reply),
      })
    }
    const others = METHODS.filter((method) => !(method in endpoints)) as HTTPMethods[]
    const allowed = [...Object.keys(endpoints), ...('GET' in endpoints ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    this.#app.route({
      method: 'OPTIONS',
      url,
      handler: (_request, reply) => reply.code(204).header('allow', allowed).send(),
    })
    if (others.length > 0) {
      const handler = (request: FastifyRequest, reply: FastifyReply) =>
        this.#refuseMethod(request, reply.header('allow', allowed))
      this.#app.route({ method: others, url, handler })
    }
  }

  async #serve(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { query, ...call } = await this.#admit(it, inProject, request, reply)
    await it.exists?.(call as never)
    const validated = {
      ...call,
      query: it.query ? validate(it.query, query) : query,
      body: it.body ? validate(it.body, request.body ?? {}) : request.body,
    }
    const answer = await it.handle(validated as never)
    if ('caller' in call) await this.#audit(it, call, validated, answer)
    if (reply.sent || answer === reply) return reply
    reply.code(it.status ?? 200)
    if (answer === undefined || it.status === 204) return reply.send()
    if (call.format === 'csv') return sendCsv(reply, 'answer', csvOf(answer))
    return reply.type('application/json; charset=utf-8').send(stringifyJson(answer))
  }

  async #audit(
    it: AnyEndpoint,
    call: Parameters<typeof auditCall>[0] & { readonly format: 'json' | 'csv'; readonly url: URL },
    validated: object,
    answer: unknown,
  ): Promise<void> {
    const note = (await it.audit?.(validated as never, answer)) ?? null
    if (note !== null) await auditCall(call, note)
    if (call.format === 'csv')
      await auditCall(call, { scope: 'Export', activity: 'exported', itemId: call.url.pathname })
  }

  async #admit(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply) {
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
      return { ...base, caller, project }
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
