import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/errors.ts'
import { isObject, parseJson } from '../../lib/json.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import type { PublicRoute } from '../http/public-scope.ts'
import { queryOf } from '../http/query.ts'
import { readBody, whole } from '../http/read-body.ts'
import { findProject, lookUp } from '../projects/find-project.ts'
import type { ProjectDirectory, ProjectSettings } from '../projects/project-directory.ts'
import { decode } from '../stages/decode.ts'
import { distinctIdOf } from '../stages/distinct-id.ts'
import { checkKey, ownKey } from '../stages/shape.ts'
import { decideAnswer, flagsAnswer } from './flags.ts'
import { SNIPPET } from './footfall-snippet.ts'
import { remoteConfig, remoteConfigScript } from './remote-config.ts'
import { type SdkFile, SdkFiles, sdkFile } from './sdk-files.ts'

/** What SDKs request besides capture: configuration, flags, surveys and the like, and the scripts of posthog-js. */
interface SdkDeps {
  readonly projects: ProjectDirectory
  readonly budget: BodyBudget
  /** The network of the client, as the body budget counts it. */
  senderOf(request: FastifyRequest['raw']): string | null
}

const QUESTION_BYTES = 1024 * 1024
const JAVASCRIPT = 'application/javascript; charset=utf-8'
const FOR_A_YEAR = 'public, max-age=31536000, immutable'
const FOR_A_DAY = 'public, max-age=86400'

export function sdkRoutes(deps: SdkDeps): PublicRoute[] {
  const files = new SdkFiles()
  const snippet = sdkFile(Buffer.from(SNIPPET), JAVASCRIPT)
  const get = (path: string, handler: PublicRoute['handler']): PublicRoute => ({ path, methods: ['GET'], handler })
  const ask = (path: string, answer: (project: ProjectSettings, query: URLSearchParams) => object): PublicRoute => ({
    path,
    methods: ['GET', 'POST'],
    handler: async (request, reply) => reply.send(answer(await askingProject(request, deps), queryOf(request))),
  })
  /** An empty list, for a product that Footfall does not have. */
  const nothing = (path: string, body: object): PublicRoute =>
    get(path, async (request, reply) => {
      await findProject(checkKey(queryOf(request).get('token')), deps.projects)
      return reply.send(body)
    })

  return [
    ask('/flags', (project, query) => flagsAnswer(project, query, Date.now())),
    ask('/decide', decideAnswer),
    get('/array/:token/config', async (request, reply) =>
      fresh(reply).send(remoteConfig(await pathProject(request, deps))),
    ),
    get('/array/:token/config.js', async (request, reply) =>
      fresh(reply)
        .type(JAVASCRIPT)
        .send(remoteConfigScript(await pathProject(request, deps))),
    ),
    get('/array/:token/array.js', async (request, reply) => {
      const config = remoteConfigScript(await pathProject(request, deps))
      const sdk = await files.find('array.js')
      return fresh(reply)
        .type(JAVASCRIPT)
        .send(`${config}${sdk?.content ?? ''}`)
    }),
    get('/static/footfall.js', async (request, reply) => serve(await snippet, FOR_A_DAY, request, reply)),
    get('/static/:file', async (request, reply) => serve(await fileOf(request, files), FOR_A_DAY, request, reply)),
    get('/static/:version/:file', async (request, reply) => {
      const { version } = request.params as { version: string }
      const kept = version === files.version ? FOR_A_YEAR : FOR_A_DAY
      return serve(await fileOf(request, files), kept, request, reply)
    }),
    nothing('/api/surveys', { surveys: [] }),
    nothing('/api/web_experiments', { experiments: [] }),
    nothing('/api/early_access_features', { earlyAccessFeatures: [] }),
    nothing('/api/product_tours', { product_tours: [] }),
  ]
}

/** The project of a request whose body may have any of the encodings of events. */
async function askingProject(
  request: FastifyRequest,
  { projects, budget, senderOf }: SdkDeps,
): Promise<ProjectSettings> {
  const query = queryOf(request)
  const read = await readBody(request.raw, QUESTION_BYTES, budget, senderOf(request.raw))
  const body = whole(read)
  try {
    const asked = body.length === 0 && !query.get('data') ? {} : parse(decodeQuestion(request, body, query))
    if (!isObject(asked)) throw new ApiError('invalid_shape', 'Send a JSON object with token and distinct_id.')
    const key = checkKey(ownKey(asked) ?? query.get('token') ?? query.get('api_key'))
    const project = await findProject(key, projects)
    if (!distinctIdOf(asked, {}).ok && !query.get('distinct_id'))
      throw new ApiError('required', 'Flags are about somebody: send distinct_id.', { attr: 'distinct_id' })
    return project
  } finally {
    read.holding.release()
  }
}

function decodeQuestion(request: FastifyRequest, body: Buffer, query: URLSearchParams): string {
  return decode({ body, query, contentEncoding: request.headers['content-encoding'] }, QUESTION_BYTES)
}

function parse(text: string) {
  try {
    return parseJson(text)
  } catch (error) {
    throw new ApiError('parse_error', `JSON parse error: ${(error as Error).message}`)
  }
}

/** The project of a key in the path, or 404. */
async function pathProject(request: FastifyRequest, { projects }: SdkDeps): Promise<ProjectSettings> {
  const { token } = request.params as { token: string }
  const project = await lookUp(token, projects)
  if (!project) throw new ApiError('not_found', 'No project has this API key.', { attr: 'token' })
  return project
}

async function fileOf(request: FastifyRequest, files: SdkFiles): Promise<SdkFile> {
  const { file } = request.params as { file: string }
  const found = await files.find(file)
  if (!found) throw new ApiError('not_found', `The installed posthog-js ${files.version} has no such file.`)
  return found
}

/** Configuration is never cached: changed settings take effect at once. */
const fresh = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'no-cache')

function serve(file: SdkFile, keep: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply
    .header('cache-control', keep)
    .header('etag', file.etag)
    .header('vary', `${reply.getHeader('vary')}, Accept-Encoding`)
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
  reply.type(file.type)
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(file.content)
  return reply.header('content-encoding', 'gzip').send(file.gzipped)
}
