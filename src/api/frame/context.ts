import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Project } from '../../accounts/index.ts'
import type { instanceStatusSchema } from '../../contract/resources/service.ts'
import type { DemoLoader } from '../../demo/index.ts'
import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Reading, Sql } from '../../engines/postgres/index.ts'
import type { Client } from '../../lib/held-back.ts'
import type { Logger } from '../../lib/logger.ts'
import type { LiveHub } from '../../live/index.ts'
import type { Returned } from './answer.ts'
import type { OtherProcesses } from './other-processes.ts'

/** What every endpoint may use. */
export interface ApiContext {
  readonly sql: Sql
  /**
   * Runs a read that may be some moments behind: on the read replica, if there is one and it keeps up. For lists and
   * searches of what events made, never for what a caller has just changed or for anything that is decided.
   */
  readonly reading: Reading
  readonly clickhouse: ClickHouse
  readonly log: Logger
  readonly live: LiveHub
  /** Base of absolute URLs in answers. */
  readonly publicUrl: string
  /** Whether keys are limited in how often they may ask. */
  readonly rateLimits?: boolean
  /** Other processes that serve the API on the same database; none where this is the only one. */
  readonly others?: OtherProcesses | null
  /** Whether every answer is held against its schema before it is sent: in tests (check-answers.ts). */
  readonly checkAnswers?: boolean
  /**
   * Resolves when whoever keeps projects in memory here has read them again: an answer after it shows what was changed.
   */
  projectsChanged?(): Promise<void>
  now(): Date
  /** Told of every answer; for metrics. `resource` is the first word of the path behind the project. Must not throw. */
  onAnswered?(answer: {
    readonly resource: string
    readonly status: number
    readonly seconds: number
    readonly client: Client
  }): void
  /** What the operator's commands `status` and `doctor` say. */
  system?(): Promise<Returned<typeof instanceStatusSchema>>
  /** Whom to name where cities are shown. */
  placesCredit?(): 'dbip' | null
  /** Loads the demo; null where this process takes no events. */
  readonly demo?: Pick<DemoLoader, 'begin' | 'progress'> | null
}

/** One request of anybody, validated. */
export interface PublicCall<Query = unknown, Body = unknown> extends ApiContext {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The request as the client wrote it, under the public URL. */
  readonly url: URL
  readonly format: 'json' | 'csv'
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/** One authenticated request. */
export interface Call<Query = unknown, Body = unknown> extends PublicCall<Query, Body> {
  readonly caller: Caller
}

export interface ProjectCall<Query = unknown, Body = unknown> extends Call<Query, Body> {
  readonly project: Project
}
