import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import type { z } from 'zod'
import type { Scope } from '../accounts/index.ts'
import { ApiError } from '../http/errors.ts'
import { stringifyJson } from '../lib/json.ts'
import { authenticate, requireScope } from './authenticate.ts'
import type { ApiContext, Call, ProjectCall } from './context.ts'
import { accessProject } from './project-access.ts'
import { validate } from './validate.ts'

/**
 * How every management endpoint is made: authenticate -> scope -> project -> validate -> handle. An endpoint says what it needs and
 * what it answers; this file does the rest, and keeps a list of all endpoints for the API's own description.
 */
type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

export interface Endpoint<C extends Call, Q extends z.ZodType, B extends z.ZodType> {
  readonly summary: string
  /** What the key must be allowed; null: any key whose user may see the project. */
  readonly scope: Scope | null
  readonly query?: Q
  readonly body?: B
  readonly status?: number
  /** Also answers `format=csv`. */
  readonly csv?: boolean
  handle(call: Omit<C, 'query' | 'body'> & { query: z.output<Q>; body: z.output<B> }): Promise<unknown> | unknown
}

/** Any of them: a handler's own types are its business and the validators'. */
type AnyEndpoint = Omit<Endpoint<Call, z.ZodType, z.ZodType>, 'handle'> & { handle(call: never): unknown }
type Endpoints = Partial<Record<Method, AnyEndpoint>>

export interface DescribedEndpoint {
  readonly path: string
  readonly method: Method
  readonly endpoint: AnyEndpoint
}

/** Typed by its schemas; `projectEndpoint` also has the project of the path. */
export const endpoint = <Q extends z.ZodType, B extends z.ZodType>(it: Endpoint<Call, Q, B>) => it
export const projectEndpoint = <Q extends z.ZodType, B extends z.ZodType>(it: Endpoint<ProjectCall, Q, B>) => it

export class ApiRoutes {
  readonly endpoints: DescribedEndpoint[] = []
  readonly #app: FastifyInstance
  readonly #context: ApiContext

  constructor(app: FastifyInstance, context: ApiContext) {
    this.#app = app
    this.#context = context
  }

  /** An endpoint outside any project, such as `/api/projects/`. */
  add(path: string, endpoints: Endpoints): void {
    this.#register(path, path, endpoints, false)
  }

  /** An endpoint of a project, under /api/environments/:project_id/ and /api/projects/:project_id/ alike. */
  addToProject(path: string, endpoints: Endpoints): void {
    const described = `/api/environments/:project_id/${path}`
    this.#register(described, described, endpoints, true)
    this.#register(`/api/projects/:project_id/${path}`, null, endpoints, true)
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
    if (others.length > 0) this.#app.route({ method: others, url, handler: (request) => this.#refuseMethod(request) })
  }

  async #serve(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { query, ...call } = await this.#admit(it, inProject, request, reply)
    const validated = {
      ...call,
      query: it.query ? validate(it.query, query) : query,
      body: it.body ? validate(it.body, request.body ?? {}) : request.body,
    }
    const answer = await it.handle(validated as never)
    if (reply.sent) return reply
    reply.code(it.status ?? 200)
    if (answer === undefined) return reply.send()
    return reply.type('application/json; charset=utf-8').send(stringifyJson(answer))
  }

  async #admit(it: AnyEndpoint, inProject: boolean, request: FastifyRequest, reply: FastifyReply) {
    const query = request.query as Record<string, unknown>
    const format = formatOf(query.format, it.csv === true)
    const caller = await authenticate(this.#context.sql, request)
    requireScope(caller, it.scope)
    const params = request.params as Record<string, string>
    const base = {
      ...this.#context,
      caller,
      params,
      query,
      url: new URL(request.url, this.#context.publicUrl),
      format,
      reply,
      signal: whenGone(reply),
    }
    if (!inProject) {
      if (caller.key.scoped_projects.length > 0) {
        throw new ApiError(
          'permission_denied',
          'API keys with scoped projects are only supported on project-based endpoints.',
        )
      }
      return base
    }
    return { ...base, project: await accessProject(this.#context.sql, caller, params.project_id ?? '') }
  }

  async #refuseMethod(request: FastifyRequest): Promise<never> {
    await authenticate(this.#context.sql, request)
    throw new ApiError('method_not_allowed', `Method "${request.method}" not allowed.`)
  }
}

function formatOf(given: unknown, csv: boolean): 'json' | 'csv' {
  if (given === undefined || given === 'json') return 'json'
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
