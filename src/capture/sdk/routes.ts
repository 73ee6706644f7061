import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ProjectFlags } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { PublicRoute } from '../http/public-scope.ts'
import { queryOf } from '../http/query.ts'
import { findProject, lookUp } from '../projects/find-project.ts'
import type { ProjectDirectory, ProjectSettings } from '../projects/project-directory.ts'
import { checkKey } from '../stages/shape.ts'
import { definitionRoutes, type FlagKeys } from './flag-definitions.ts'
import type { FlagDeps } from './flags.ts'
import { SNIPPET } from './footfall-snippet.ts'
import { remoteConfig, remoteConfigScript } from './remote-config.ts'
import { type SdkFile, SdkFiles, sdkFile } from './sdk-files.ts'

/** What SDKs request besides capture: configuration, flags, surveys and the like, and the scripts of posthog-js. */
export interface SdkDeps {
  readonly projects: ProjectDirectory
  readonly flags?: (FlagDeps & { readonly keys: FlagKeys }) | undefined
  addressOf(request: FastifyRequest['raw']): string | null
}

const JAVASCRIPT = 'application/javascript; charset=utf-8'
const FOR_A_YEAR = 'public, max-age=31536000, immutable'
const FOR_A_DAY = 'public, max-age=86400'

export function sdkRoutes(deps: SdkDeps): PublicRoute[] {
  const files = new SdkFiles()
  const snippet = sdkFile(Buffer.from(SNIPPET), JAVASCRIPT)
  const get = (path: string, handler: PublicRoute['handler']): PublicRoute => ({ path, methods: ['GET'], handler })
  /** An empty list, for a product that Footfall does not have. */
  const nothing = (path: string, body: object): PublicRoute =>
    get(path, async (request, reply) => {
      await findProject(checkKey(queryOf(request).get('token')), deps.projects)
      return reply.send(body)
    })

  return [
    get('/array/:token/config', async (request, reply) =>
      fresh(reply).send(remoteConfig(...(await configured(request, deps)))),
    ),
    get('/array/:token/config.js', async (request, reply) =>
      fresh(reply)
        .type(JAVASCRIPT)
        .send(remoteConfigScript(...(await configured(request, deps)))),
    ),
    get('/array/:token/array.js', async (request, reply) => {
      const config = remoteConfigScript(...(await configured(request, deps)))
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
    get('/api/early_access_features', async (request, reply) => {
      const query = queryOf(request)
      const project = await findProject(checkKey(query.get('token')), deps.projects)
      return reply.send({ earlyAccessFeatures: earlyAccessFeatures(project, query.getAll('stage'), deps) })
    }),
    nothing('/api/product_tours', { product_tours: [] }),
    ...(deps.flags === undefined ? [] : definitionRoutes({ ...deps, flags: deps.flags })),
  ]
}

const SHOWN_STAGE = 'beta'

/** Features that visitors may choose; without stages, those that are in beta. */
function earlyAccessFeatures({ id }: ProjectSettings, stages: readonly string[], { flags }: SdkDeps) {
  const wanted = stages.length === 0 ? [SHOWN_STAGE] : stages
  return (flags?.directory.earlyAccessOf(id) ?? [])
    .filter(({ stage, flag_key }) => flag_key !== null && wanted.includes(stage))
    .map((feature) => ({
      id: feature.id,
      name: feature.name,
      description: feature.description,
      stage: feature.stage,
      documentationUrl: feature.documentation_url,
      payload: feature.payload,
      flagKey: feature.flag_key,
    }))
}

/** What the configuration of a project is made of. */
async function configured(
  request: FastifyRequest,
  deps: SdkDeps,
): Promise<[ProjectSettings, ProjectFlags | undefined]> {
  const project = await pathProject(request, deps)
  return [project, deps.flags?.directory.of(project.id)]
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
