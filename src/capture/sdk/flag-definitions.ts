/** What servers read to evaluate flags themselves, and payloads that only servers may see. */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FlagAccess } from '../../accounts/index.ts'
import { definitionsDocument, type ProjectFlags } from '../../flags/index.ts'
import { ApiError } from '../../http/errors.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { PublicRoute } from '../http/public-scope.ts'
import { queryOf } from '../http/query.ts'
import { findProject } from '../projects/find-project.ts'
import type { ProjectDirectory } from '../projects/project-directory.ts'
import { checkKey } from '../stages/shape.ts'
import type { FlagDeps } from './flags.ts'

/** Finds out what a secret or personal key may read. */
export interface FlagKeys {
  access(asked: {
    readonly value: string
    readonly project: number | null
    readonly address: string
  }): Promise<FlagAccess>
}

interface DefinitionDeps {
  readonly projects: ProjectDirectory
  readonly flags: FlagDeps & { readonly keys: FlagKeys }
  addressOf(request: FastifyRequest['raw']): string | null
}

const JSON_TYPE = 'application/json; charset=utf-8'

export function definitionRoutes(deps: DefinitionDeps): PublicRoute[] {
  const route = (path: string, handler: PublicRoute['handler']): PublicRoute => ({ path, methods: ['GET'], handler })
  const definitions: PublicRoute['handler'] = async (request, reply) => {
    const project = await readableProject(request, deps, { tokenRequired: true })
    return sendDocument(documentOf(deps.flags.directory.of(project)), request, reply)
  }
  return [
    route('/flags/definitions', definitions),
    route('/api/feature_flag/local_evaluation', definitions),
    route('/api/projects/:project/feature_flags/:key/remote_config', async (request, reply) => {
      const { key } = request.params as { key: string }
      const project = await readableProject(request, deps, { tokenRequired: false })
      const flag = deps.flags.directory.of(project)?.named.get(key)
      if (!flag) throw new ApiError('not_found', 'There is no feature flag with this key.')
      const { payloads } = flag
      const payload = flag.stored.active && Object.hasOwn(payloads, 'true') ? payloads.true : null
      return reply.type(JSON_TYPE).send(stringifyJson(payload ?? null))
    }),
  ]
}

/** The project of the request, if its key may read the flags of it. */
async function readableProject(
  request: FastifyRequest,
  { projects, flags, addressOf }: DefinitionDeps,
  { tokenRequired }: { readonly tokenRequired: boolean },
): Promise<number> {
  const value = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (value === undefined)
    throw new ApiError('not_authenticated', 'Send "Authorization: Bearer <secret or personal API key>".')
  const query = queryOf(request)
  const token = query.get('token') ?? query.get('api_key')
  const named = token === null && !tokenRequired ? null : (await findProject(checkKey(token), projects)).id
  const inPath = projectInPath(request)
  if (named !== null && inPath !== null && named !== inPath)
    throw new ApiError('authentication_failed', 'The project API key is of another project than the path.')
  const address = addressOf(request.raw) ?? 'local'
  const access = await flags.keys.access({ value, project: named ?? inPath, address }).catch(() => {
    throw new ApiError('unavailable', undefined, { retryAfterSeconds: 5 })
  })
  if (access === 'unknown') throw new ApiError('authentication_failed', 'This API key is not valid.')
  if (access === 'denied')
    throw new ApiError(
      'authentication_failed',
      "This API key may not read the flags of this project: it needs the scope 'feature_flag:read' and access to it.",
    )
  return access.project
}

/** `@current` leaves it to the key. */
function projectInPath(request: FastifyRequest): number | null {
  const { project } = request.params as { project?: string }
  if (project === undefined || project === '@current') return null
  if (!/^\d{1,9}$/.test(project)) throw new ApiError('not_found', 'Project not found.')
  return Number(project)
}

interface Document {
  readonly text: string
  readonly etag: string
}

const written = new WeakMap<ProjectFlags, Document>()
const EMPTY = writtenDocument({
  flags: [],
  group_type_mapping: {},
  cohorts: {},
  minimal_flag_called_events: false,
  property_matching_version: 1,
})

/** Written once for each change of the definitions. */
function documentOf(flags: ProjectFlags | undefined): Document {
  if (flags === undefined) return EMPTY
  const known = written.get(flags)
  if (known) return known
  const document = writtenDocument(definitionsDocument(flags))
  written.set(flags, document)
  return document
}

function writtenDocument(content: object): Document {
  const text = stringifyJson(content)
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` }
}

function sendDocument({ text, etag }: Document, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('etag', etag).header('cache-control', 'private, must-revalidate')
  const known = request.headers['if-none-match']
  if (known?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(text)
}
