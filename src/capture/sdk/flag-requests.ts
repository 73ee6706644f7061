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
import { LARGE_QUESTION, type LargeQuestions } from './large-questions.ts'

export interface FlagRequestDeps {
  readonly projects: ProjectDirectory
  readonly budget: BodyBudget
  readonly brake: RefusalBrake
  readonly flags?: FlagDeps | undefined
  readonly largeQuestions: LargeQuestions
  readonly onHeldBack: OnHeldBack
  /** `isPartial`: some flag could not be decided. */
  onFlagsAnswered?: ((answered: { readonly seconds: number; readonly isPartial: boolean }) => void) | undefined
  /** The network of the client, as the body budget counts it. */
  senderOf(request: IncomingMessage): string | null
}

const QUESTION_BYTES = 1024 * 1024
const NOTHING_ASKED = JSON.stringify({ flags: {}, supportedCompression: ['gzip', 'gzip-js'] })

/** How an answer begins in which a flag is missing (flags/wire/answers.ts). */
const PARTIAL = '{"errorsWhileComputingFlags":true'
const MOST_QUERIES = 100
const parsed = new Map<string, URLSearchParams>()

/** Almost all requests have one of few query strings. What is given out here is only read. */
function parsedQuery(text: string): URLSearchParams {
  const known = parsed.get(text)
  if (known) return known
  const query = new URLSearchParams(text)
  if (parsed.size < MOST_QUERIES && text.length < 100) parsed.set(text, query)
  return query
}

/** The answer to one request as text, of ASCII characters alone. */
export async function answerFlags(
  path: FlagQuestion['path'],
  request: IncomingMessage,
  deps: FlagRequestDeps,
): Promise<string> {
  const began = performance.now()
  const query = parsedQuery(queryOfUrl(request.url))
  if (request.method === 'HEAD') return ''
  if (request.method === 'GET' && !query.has('data') && !query.has('token') && !query.has('api_key'))
    return NOTHING_ASKED
  const body = await readBody(request, QUESTION_BYTES, deps.budget, deps.senderOf(request))
  const { holding } = body
  try {
    const bytes = whole(body)
    const sent =
      bytes.length === 0 && !query.get('data')
        ? '{}'
        : decode({ body: bytes, query, contentEncoding: request.headers['content-encoding'] }, QUESTION_BYTES)
    const answer = () => answerText(sent, { path, query, headers: request.headers }, deps)
    const running = sent.length > LARGE_QUESTION ? deps.largeQuestions.run(holding.address, answer) : answer()
    if (running === undefined) {
      deps.onHeldBack('queue_of_client', holding)
      throw new ApiError(
        'unavailable',
        'Too many large questions for flags at once: send fewer or shorter properties.',
        {
          retryAfterSeconds: 1,
        },
      )
    }
    const text = await running
    deps.onFlagsAnswered?.({ seconds: (performance.now() - began) / 1000, isPartial: text.startsWith(PARTIAL) })
    return text
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    holding.release()
    if (await deps.brake.refused(holding.address, holding.large)) deps.onHeldBack('refusals', holding)
    throw error
  } finally {
    holding.release()
  }
}

function answerText(
  sent: string,
  asked: Pick<FlagQuestion, 'path' | 'query' | 'headers'>,
  { projects, flags }: Pick<FlagRequestDeps, 'projects' | 'flags'>,
): string | Promise<string> {
  const { query } = asked
  const body = parseQuestion(sent)
  if (!isObject(body)) throw new ApiError('invalid_shape', 'Send a JSON object with token and distinct_id.')
  const project = findProject(checkKey(ownKey(body) ?? query.get('token') ?? query.get('api_key')), projects)
  const answer = (found: ProjectSettings) =>
    flagsAnswer({ path: asked.path, query, headers: asked.headers, body, project: found }, flags, Date.now())
  return project instanceof Promise ? project.then(answer) : answer(project)
}
