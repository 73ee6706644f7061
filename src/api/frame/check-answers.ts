import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { z } from 'zod'
import { errorSchema } from '../../contract/errors.ts'
import { ApiError } from '../../http/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { type AnswerOf, isSchema, statusOf } from './answer.ts'
import { exactly } from './exactly.ts'
import type { DescribedEndpoint } from './route.ts'
import { statusesOf } from './statuses.ts'

/**
 * Holds every answer against what its endpoint says it answers: the status, the type of the content, and every field,
 * none missing and none too many. What does not fit becomes a 500 that says where. Services of the tests run with this;
 * elsewhere it would only cost.
 */
export function checkAnswers(scope: FastifyInstance, log: Logger): void {
  scope.addHook('onSend', (request, reply, payload, done) => {
    const described = request.routeOptions.config.described
    if (described === undefined || request.method === 'HEAD') return done(null, payload)
    const fault = faultOf(described, reply, payload)
    if (fault === null) return done(null, payload)
    const { method, path } = described
    const words = `${method} ${path} answered ${reply.statusCode}, which does not fit: ${fault}`
    log.error({ answer: typeof payload === 'string' ? payload.slice(0, 2_000) : undefined }, words)
    if (payload instanceof Readable) payload.destroy()
    reply.code(500).type('application/json; charset=utf-8')
    done(null, JSON.stringify(new ApiError('error', words).body()))
  })
}

function faultOf(described: DescribedEndpoint, reply: FastifyReply, payload: unknown): string | null {
  const { endpoint } = described
  const status = reply.statusCode
  if (!statusesOf(described).has(status)) return 'the endpoint does not name this status'
  const other = endpoint.otherAnswers?.[status]
  if (other !== undefined) return faultOfText(other, payload)
  if (status !== statusOf(endpoint)) return faultOfText(errorSchema, payload)
  return faultOfSuccess(endpoint.answer, endpoint.csv === true, reply, payload)
}

function faultOfSuccess(answer: AnswerOf, csv: boolean, reply: FastifyReply, payload: unknown): string | null {
  const type = String(reply.getHeader('content-type') ?? '').split(';')[0]
  if (isSchema(answer)) {
    if (csv && type === 'text/csv') return null
    return type === 'application/json' ? faultOfText(answer, payload) : `it has the content type "${type}"`
  }
  if (answer.kind === 'stream') return answer.types.includes(type ?? '') ? null : `it has the content type "${type}"`
  if (payload === undefined || payload === null || payload === '') return null
  return answer.kind === 'not allowed' ? faultOfText(errorSchema, payload) : 'it has a body'
}

function faultOfText(schema: z.ZodType, payload: unknown): string | null {
  if (typeof payload !== 'string') return 'it is not a JSON text'
  const checked = exactly(schema).safeParse(JSON.parse(payload))
  if (checked.success) return null
  const [issue] = checked.error.issues
  return issue === undefined ? 'no reason' : wordsFor(issue)
}

/** Of a union, what is wrong with the form that fits best: the one that got furthest. */
function wordsFor(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [best] = issue.errors.toSorted((a, b) => furthest(b) - furthest(a))
    const first = best?.[0]
    if (first) return wordsFor({ ...first, path: [...issue.path, ...first.path] })
  }
  return `${issue.path.length === 0 ? 'the answer' : issue.path.map(String).join('.')}: ${issue.message}`
}

const furthest = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map(({ path }) => path.length))
