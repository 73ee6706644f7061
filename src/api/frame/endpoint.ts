import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Scope } from '../../accounts/index.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import type { AnswerOf, Returned } from './answer.ts'
import type { AuditNote } from './audit.ts'
import type { Call, ProjectCall, PublicCall } from './context.ts'

/**
 * What an endpoint says of itself: what it needs and what it answers. The frame (route.ts) does the rest, and the API's
 * description.
 */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

interface About<Q extends z.ZodType, B extends z.ZodType, A extends AnswerOf> {
  readonly summary: string
  /** What the key must be allowed; null: any key whose user may see the project. */
  readonly scope: Scope | null
  /** `session`: people signed in in a browser only; `anyone`: no credentials at all. Otherwise a key or a session. */
  readonly access?: 'session' | 'anyone'
  /** Outside projects, and yet for keys that are restricted to some. */
  readonly forScopedKeys?: boolean
  /** Which rates count for it besides those of every endpoint. */
  readonly rate?: 'ordinary' | 'person' | 'heavy' | 'sql'
  readonly query?: Q
  readonly body?: B
  /** The largest body it takes from whoever is known, in bytes, where that differs from the others. */
  readonly mostBytes?: number
  /**
   * What it answers when it succeeds. What the handler returns is checked against it by the compiler, and in tests by
   * `check-answers.ts`.
   */
  readonly answer: A
  /** Of success, where that is not 200 (or 204, or 405, as the answer says). */
  readonly status?: number
  /** Answers with other statuses that are no refusals of the usual shape. */
  readonly otherAnswers?: Readonly<Record<number, z.ZodType>>
  /** Other refusals than those every endpoint has. */
  readonly errors?: readonly ErrorCode[]
  /** Also answers `format=csv`: with the rows its handler sends, or else with the fields of what it returns. */
  readonly csv?: boolean
}

interface Endpoint<C extends PublicCall, Q extends z.ZodType, B extends z.ZodType, A extends AnswerOf, R>
  extends About<Q, B, A> {
  /** Looks for the thing of the path before the body is read: what is not there is 404, whatever the body says. */
  exists?(call: Omit<C, 'query' | 'body'>): Promise<unknown>
  handle(call: Validated<C, Q, B>): Promise<R> | R
  /** What the audit log says when it succeeded; null: nothing. Without this, only CSV files are noted. */
  audit?(
    call: Validated<C, Q, B>,
    answer: Exclude<NoInfer<R>, FastifyReply>,
  ): AuditNote | null | Promise<AuditNote | null>
}

type Validated<C extends PublicCall, Q extends z.ZodType, B extends z.ZodType> = Omit<C, 'query' | 'body'> & {
  query: z.output<Q>
  body: z.output<B>
}

/** Any of them: a handler's own types are its business and the validators'. */
export type AnyEndpoint = About<z.ZodType, z.ZodType, AnswerOf> & {
  exists?(call: never): Promise<unknown>
  handle(call: never): unknown
  audit?(call: never, answer: never): AuditNote | null | Promise<AuditNote | null>
}
export type Endpoints = Partial<Record<Method, AnyEndpoint>>

/** Typed by its schemas; `projectEndpoint` also has the project of the path. */
export const endpoint = <Q extends z.ZodType, B extends z.ZodType, A extends AnswerOf, const R extends Returned<A>>(
  it: Endpoint<Call, Q, B, A, R>,
) => it
export const projectEndpoint = <
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends AnswerOf,
  const R extends Returned<A>,
>(
  it: Endpoint<ProjectCall, Q, B, A, R>,
) => it
export const publicEndpoint = <
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends AnswerOf,
  const R extends Returned<A>,
>(
  it: Omit<Endpoint<PublicCall, Q, B, A, R>, 'scope' | 'access' | 'audit'>,
) => ({ ...it, scope: null, access: 'anyone' as const })
