import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FairSlots } from '../../../../lib/fair-slots.ts'
import type { WholeParts } from '../parts/whole-parts.ts'
import type { SessionPool } from '../sessions/session-pool.ts'
import { answerError } from './answer.ts'
import { insertBody } from './insert.ts'
import { refuseMachineAccess } from './machine-access.ts'
import { runStatement } from './query.ts'
import { decodedBody, readRequest, statementInBody } from './request.ts'
import type { RunningQueries } from './running.ts'
import { formatOf, insertFromFile, isInsert, killedQueryId } from './statement.ts'

/** The part of ClickHouse's HTTP interface that its official client uses. */
interface EngineServices {
  readonly readers: SessionPool
  /** Readers for queries of projects, shared fairly. */
  readonly questions: SessionPool
  readonly questionSlots: FairSlots
  readonly writers: SessionPool
  readonly running: RunningQueries
  readonly wholeParts: WholeParts
  readonly spool: string
  readonly username: string
  readonly password: string
  readonly database: string
  readonly slowness: number
}

/** A statement with its inline data, as opposed to rows that are spooled to a file. */
const MAX_STATEMENT_BYTES = 64 * 1024 * 1024

export function createEngineServer(engine: EngineServices): Server {
  const allowed = passwordCheck(engine)
  const server = createServer(
    { maxHeaderSize: 4 * 1024 * 1024, keepAliveTimeout: 60_000, requestTimeout: 0 },
    (request, response) => {
      const path = request.url?.split('?', 1)[0]
      if (path === '/ping') return void response.end('Ok.\n')
      if (path !== '/') return void response.writeHead(404).end('There is no handle here.\n')
      if (!allowed(request))
        return answerError(
          response,
          new Error(
            'Code: 516. DB::Exception: Authentication failed: password is incorrect, or there is no such user. (AUTHENTICATION_FAILED)',
          ),
        )
      handle(engine, request, response).catch((error) => answerError(response, error))
    },
  )
  return server
}

async function handle(engine: EngineServices, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = readRequest(request)
  const queryId = asked.queryId ?? randomUUID()
  response.setHeader('X-ClickHouse-Query-Id', queryId)
  response.setHeader('X-ClickHouse-Timezone', 'UTC')

  const abort = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) abort.abort(new Error('the client is gone'))
  })

  const scope = { database: asked.database ?? engine.database, settings: asked.settings, params: asked.params }
  if (asked.urlQuery !== undefined) refuseMachineAccess(asked.urlQuery)
  if (asked.urlQuery !== undefined && insertFromFile(asked.urlQuery, "''") !== undefined)
    return insertBody(engine, {
      statement: asked.urlQuery,
      body: decodedBody(request),
      scope,
      queryId,
      abort,
      response,
    })

  const body = await readAll(decodedBody(request))
  const statement =
    asked.urlQuery === undefined
      ? await statementInBody(body, request.headers['content-type'], asked.params)
      : `${asked.urlQuery}${body.length > 0 ? `\n${body.toString('utf8')}` : ''}`
  if (statement.trim() === '')
    throw new Error('Code: 62. DB::Exception: Syntax error: the query is empty. (SYNTAX_ERROR)')

  refuseMachineAccess(statement)
  const killed = killedQueryId(statement, asked.params)
  if (killed !== undefined) {
    engine.running.cancel(killed)
    return void response.end()
  }
  const format = formatOf(statement) ?? asked.defaultFormat ?? 'TabSeparated'
  const job = { statement, format, scope, queryId, abort, response }
  if (asked.quotaKey === undefined || isInsert(statement))
    return runStatement(engine, isInsert(statement) ? engine.writers : engine.readers, { ...job, isQuestion: false })
  // Held until the engine has finished, even if the client has left long before.
  const release = await engine.questionSlots.take(asked.quotaKey, abort.signal)
  try {
    await runStatement(engine, engine.questions, { ...job, isQuestion: true })
  } finally {
    release()
  }
}

async function readAll(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_STATEMENT_BYTES)
      throw new Error(
        `Code: 307. DB::Exception: The statement is longer than ${MAX_STATEMENT_BYTES} bytes. (TOO_MANY_BYTES)`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function passwordCheck(engine: EngineServices): (request: IncomingMessage) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const right = digest(`${engine.username}:${engine.password}`)
  return (request) => {
    const { authorization } = request.headers
    const given = authorization?.startsWith('Basic ')
      ? Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8')
      : `${request.headers['x-clickhouse-user'] ?? ''}:${request.headers['x-clickhouse-key'] ?? ''}`
    return timingSafeEqual(digest(given), right)
  }
}
