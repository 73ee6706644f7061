import type { FastifyReply } from 'fastify'
import type { KeyHolder, Project } from '../accounts/index.ts'
import type { ClickHouse } from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'
import type { Logger } from '../lib/logger.ts'
import type { LiveHub } from '../live/index.ts'

/** What every endpoint may use. */
export interface ApiContext {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly log: Logger
  readonly live: LiveHub
  /** Base of absolute URLs in answers. */
  readonly publicUrl: string
  now(): Date
}

/** One authenticated request, validated. */
export interface Call<Query = unknown, Body = unknown> extends ApiContext {
  readonly caller: KeyHolder
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  /** The request as the client wrote it, under the public URL. */
  readonly url: URL
  readonly format: 'json' | 'csv'
  readonly reply: FastifyReply
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

export interface ProjectCall<Query = unknown, Body = unknown> extends Call<Query, Body> {
  readonly project: Project
}
