/** Requests for flags, answered in front of the framework like events: they are as many, and must cost as little. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../../http/errors.ts'
import { isObject } from '../../lib/json.ts'
import type { BodyBudget, OnHeldBack } from '../http/body-budget.ts'
import { queryOfUrl } from '../http/query.ts'
import { readBody, whole } from '../http/read-body.ts'
import type { RefusalBrake } from '../http/refusal-brake.ts'
import { findProject } from '../projects/find-project.ts'
import type { ProjectDirectory, ProjectSettings } from '../projects/project-directory.ts'
import { decode } from '../stages/decode.ts'
import { checkKey, ownKey } from '../stages/shape.ts'
import { type FlagDeps, type FlagQuestion, flagsAnswer, parseQuestion } from './flags.ts'

export interface FlagRequestDeps {
  readonly projects: ProjectDirectory
  readonly budget: BodyBudget
  readonly brake: RefusalBrake
  readonly flags?: FlagDeps | undefined
  readonly onHeldBack: OnHeldBack
  /** The network of the client, as the body budget counts it. */
  senderOf(request: IncomingMessage): string | null
}

const QUESTION_BYTES = 1024 * 1024
const NOTHING_ASKED = JSON.stringify({ flags: {}, supportedCompression: ['gzip', 'gzip-js'] })

/** The answer to one request as text. */
export async function answerFlags(
  path: FlagQuestion['path'],
  request: IncomingMessage,
  deps: FlagRequestDeps,
): Promise<string> {
  const query = new URLSearchParams(queryOfUrl(request.url))
  if (request.method === 'HEAD') return ''
  if (request.method === 'GET' && !query.has('data') && !query.has('token') && !query.has('api_key'))
    return NOTHING_ASKED
  const body = await readBody(request, QUESTION_BYTES, deps.budget, deps.senderOf(request))
  const { holding } = body
  try {
    const bytes = whole(body)
    const asked =
      bytes.length === 0 && !query.get('data')
        ? {}
        : parseQuestion(
            decode({ body: bytes, query, contentEncoding: request.headers['content-encoding'] }, QUESTION_BYTES),
          )
    if (!isObject(asked)) throw new ApiError('invalid_shape', 'Send a JSON object with token and distinct_id.')
    const project = findProject(checkKey(ownKey(asked) ?? query.get('token') ?? query.get('api_key')), deps.projects)
    const answer = (found: ProjectSettings) =>
      flagsAnswer({ path, query, headers: request.headers, body: asked, project: found }, deps.flags, Date.now())
    return await answer(project instanceof Promise ? await project : project)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    holding.release()
    if (await deps.brake.refused(holding.address, holding.large)) deps.onHeldBack('refusals', holding)
    throw error
  } finally {
    holding.release()
  }
}
