import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Json } from '../../lib/json.ts'

/**
 * What an endpoint answers when it succeeds: JSON by a schema, nothing, a stream of another type, or always a refusal.
 */
export type AnswerOf = z.ZodType | NoContent | Stream | NotAllowed

interface NoContent {
  readonly kind: 'no content'
}
interface Stream {
  readonly kind: 'stream'
  /** One of these; which one, the request decides. */
  readonly types: readonly string[]
}
interface NotAllowed {
  readonly kind: 'not allowed'
}

/** 204. What the handler returns is for the audit log only. */
export const noContent: NoContent = { kind: 'no content' }

/** The handler sends it itself, through `reply`. */
export const streamOf = (...types: string[]): Stream => ({ kind: 'stream', types })

/** 405: the method is there to say why it is refused, and what to do instead. */
export const notAllowed: NotAllowed = { kind: 'not allowed' }

export const isSchema = (answer: AnswerOf): answer is z.ZodType => !('kind' in answer)

/**
 * Where the schema says text for a moment, a handler may give a Date (contract/answer-fields.ts). Lists may be
 * readonly.
 */
type Plain<T> = Json extends T
  ? T
  : T extends string | number | boolean | null | undefined | Date
    ? T
    : { readonly [K in keyof T]: Plain<T[K]> }

/** What a handler returns for an answer: what the schema says, or the reply through which it sent it. */
export type Returned<A extends AnswerOf> = A extends z.ZodType ? Plain<z.input<A>> | FastifyReply : unknown

export function statusOf({ answer, status }: { readonly answer: AnswerOf; readonly status?: number }): number {
  if (isSchema(answer) || answer.kind === 'stream') return status ?? 200
  return answer.kind === 'no content' ? 204 : 405
}
