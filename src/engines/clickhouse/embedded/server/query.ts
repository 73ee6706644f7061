import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Session } from 'chdb'
import { BASE_SETTINGS, MAX_BUFFERED_RESULT_BYTES } from '../config/engine-config.ts'
import type { Scope } from '../sessions/engine-session.ts'
import type { SessionPool } from '../sessions/session-pool.ts'
import { answerError, EXCEPTION_TAG, summary } from './answer.ts'
import { Overrun, type RunningQueries } from './running.ts'
import { canStream } from './statement.ts'

interface StatementJob {
  readonly statement: string
  readonly format: string
  readonly scope: Scope
  readonly queryId: string
  readonly abort: AbortController
  readonly response: ServerResponse
  /** A query of a project; the engine may be killed to end it. */
  readonly isQuestion: boolean
}

/** Added to the time limit of a query, so that the engine can notice first and report it itself. */
const LATE_MS = 2_000
/** For all queries, whatever their own limit. */
const MOST_SECONDS = 60

/** Runs a statement on a session of the pool and writes its result as the response. */
export async function runStatement(
  { running, slowness }: { readonly running: RunningQueries; readonly slowness: number },
  pool: SessionPool,
  job: StatementJob,
) {
  await pool.use(job.abort.signal, (session) =>
    running.track(job, async (tag) => {
      const streams = canStream(job.statement, job.format)
      const settings = new Map([
        ...BASE_SETTINGS,
        ...(streams ? [] : ([['max_result_bytes', String(MAX_BUFFERED_RESULT_BYTES)]] as const)),
        ...job.scope.settings,
        ['log_comment', tag] as const,
      ])
      const seconds = Number(settings.get('max_execution_time')) * slowness
      settings.set('max_execution_time', String(seconds))
      const engine = await session.enter({ ...job.scope, settings }, job.statement)
      job.abort.signal.throwIfAborted()
      const overdue = job.isQuestion ? endWhenOverdue(job, seconds || MOST_SECONDS) : undefined
      try {
        await (streams ? stream(engine, job) : answerWhole(engine, job))
      } finally {
        clearTimeout(overdue)
      }
    }),
  )
}

/** The client gets the error at once, while the query is still being killed. */
function endWhenOverdue({ abort, response }: StatementJob, seconds: number): NodeJS.Timeout {
  return setTimeout(
    () => {
      const overrun = new Overrun(seconds)
      answerError(response, overrun)
      abort.abort(overrun)
    },
    seconds * 1_000 + LATE_MS,
  )
}

async function answerWhole(engine: Session, { statement, format, response }: StatementJob): Promise<void> {
  const result = await engine.queryAsync(statement, { format })
  if (response.writableEnded) return
  const bytes = Buffer.from(result.bytes())
  response.setHeader('X-ClickHouse-Format', format)
  response.setHeader(
    'X-ClickHouse-Summary',
    summary({
      ...readFigures(bytes),
      written_rows: 0,
      written_bytes: 0,
      result_rows: result.rowsRead,
      result_bytes: result.bytesRead,
      elapsed_ns: result.elapsed * 1e9,
    }),
  )
  response.end(bytes)
}

/** What the query read: the engine reports it only at the end of its JSON formats. */
function readFigures(body: Buffer): { read_rows: number; read_bytes: number } {
  const end = body.toString('latin1', Math.max(0, body.length - 300))
  const figures = /"rows_read": (\d+),\s*"bytes_read": (\d+)\s*\}\s*\}\s*$/.exec(end)
  return { read_rows: Number(figures?.[1] ?? 0), read_bytes: Number(figures?.[2] ?? 0) }
}

/** Streams block by block, no faster than the client reads. */
async function stream(engine: Session, { statement, format, response, abort }: StatementJob): Promise<void> {
  const result = engine.queryStream(statement, { format })
  try {
    for await (const chunk of result) {
      if (!response.headersSent)
        response.writeHead(200, { 'X-ClickHouse-Format': format, 'X-ClickHouse-Exception-Tag': EXCEPTION_TAG })
      if (!response.write(chunk.raw())) await once(response, 'drain', { signal: abort.signal })
    }
  } finally {
    result.cancel()
  }
  if (!response.headersSent) response.setHeader('X-ClickHouse-Format', format)
  response.end()
}
