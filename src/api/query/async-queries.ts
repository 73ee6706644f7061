import type { ClickHouse } from '../../engines/clickhouse/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import { ApiError } from '../../http/errors.ts'
import { MINUTE } from '../../lib/durations.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import { withoutNul } from '../../lib/without-nul.ts'
import { fromEngines } from '../frame/from-engines.ts'
import type { RunningQuestions } from '../insights/running-questions.ts'

/**
 * Questions that are answered later.
 *
 *   running    begun; whoever asks is told to come again
 *   done       the answer waits for an hour
 *   failed     with a message for the asker, or with none when it was our fault
 *   cancelled  by somebody who no longer wants it; an answer that comes all the same is thrown away
 *
 * A process that dies leaves `running` behind; after the longest time a query may take that means failed.
 */
export interface AsyncQuery {
  readonly id: string
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  readonly error_message: string | null
  readonly answer: string | null
  readonly started_at: Date
  readonly ended_at: Date | null
  readonly expires_at: Date
}

const LONGEST_MS = 10 * MINUTE

export class AsyncQueries {
  readonly #sql: Sql
  readonly #clickhouse: ClickHouse
  readonly #log: Logger
  readonly #running: RunningQuestions

  constructor({
    sql,
    clickhouse,
    log,
    running,
  }: {
    readonly sql: Sql
    readonly clickhouse: ClickHouse
    readonly log: Logger
    readonly running: RunningQuestions
  }) {
    this.#sql = sql
    this.#clickhouse = clickhouse
    this.#log = log
    this.#running = running
  }

  /** Begins, or joins the one that has the same id. */
  async begin(
    asked: { readonly project: number; readonly user: number; readonly id: string },
    work: (signal: AbortSignal, queryId: string) => Promise<object>,
  ): Promise<AsyncQuery> {
    const { project, user, id } = asked
    const begun = await this.#sql`
      INSERT INTO async_queries AS old (id, project_id, user_id) VALUES (${id}, ${project}, ${user})
      ON CONFLICT (project_id, id) DO UPDATE SET state = 'running', answer = NULL, error_message = NULL, started_at = now(), ended_at = NULL,
        expires_at = now() + interval '1 hour'
      WHERE old.state <> 'running' OR old.expires_at <= now() OR old.started_at < now() - ${`${LONGEST_MS} milliseconds`}::interval
      RETURNING 1`
    const query = (await this.find(project, id)) as AsyncQuery
    // Whoever asked may have cancelled it already.
    if (begun.length > 0 && query.state === 'running') void this.#run(project, id, work)
    return query
  }

  async find(project: number, id: string): Promise<AsyncQuery | undefined> {
    const [found] = await this.#sql<AsyncQuery[]>`
      SELECT id, state, error_message, answer, started_at, ended_at, expires_at FROM async_queries
      WHERE project_id = ${project} AND id = ${id} AND expires_at > now()`
    const overdue = found?.state === 'running' && Date.now() - found.started_at.getTime() > LONGEST_MS
    return found && overdue ? { ...found, state: 'failed' } : found
  }

  /** Throws its answer away; it still has to be told to stop. False when there is no such query. */
  async cancel(project: number, id: string): Promise<boolean> {
    const found = await this.find(project, id)
    if (!found) return false
    await this.#end(project, id, { state: 'cancelled' })
    await this.#clickhouse.cancel(queryIdOf(project, id)).catch(() => {})
    return true
  }

  async #run(project: number, id: string, work: (signal: AbortSignal, queryId: string) => Promise<object>) {
    await this.#running.run({ project, id }, async (signal) => {
      try {
        const answer = await work(signal, queryIdOf(project, id))
        await this.#end(project, id, { state: 'done', answer: stringifyJson(answer) })
      } catch (error) {
        const failure = fromEngines(error as Error)
        const message = failure instanceof ApiError ? failure.message : null
        if (message === null && !signal.aborted) this.#log.error({ err: error, query: id }, 'a query failed')
        await this.#end(project, id, { state: 'failed', message }).catch(() => {})
      }
    })
  }

  async #end(
    project: number,
    id: string,
    {
      state,
      answer = null,
      message = null,
    }: { state: AsyncQuery['state']; answer?: string | null; message?: string | null },
  ): Promise<void> {
    await this.#sql`
      UPDATE async_queries SET state = ${state}, answer = ${answer}, error_message = ${message && withoutNul(message)}, ended_at = now()
      WHERE project_id = ${project} AND id = ${id} AND state = 'running'`
  }
}

const queryIdOf = (project: number, id: string) => `footfall-${project}-${id}`
