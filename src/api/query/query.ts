import { cancelQuestionBodySchema, cancelQuestionQuerySchema } from '../../contract/resources/insight-question.ts'
import {
  authForAsyncSchema,
  cancelledQuerySchema,
  cancelledQuestionSchema,
  draftSqlQuerySchema,
  draftSqlSchema,
  failedQuerySchema,
  queryAnswerSchema,
  queryParametersSchema,
  queryRequestSchema,
} from '../../contract/resources/query-helpers.ts'
import { queryStatusSchema } from '../../contract/results/index.ts'
import { ApiError } from '../../http/errors.ts'
import { listEventDefinitions, listPropertyDefinitions } from '../../identity/index.ts'
import { draftSql, starterSql } from '../../insights/index.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import type { ApiContext, ProjectCall } from '../frame/context.ts'
import { type ApiRoutes, projectEndpoint } from '../frame/route.ts'
import { asksToRefresh } from '../insights/insight-answers.ts'
import { fieldsOf } from '../insights/insight-question.ts'
import { runningQuestions } from '../insights/running-questions.ts'
import { answerQuery } from './answer.ts'
import { AsyncQueries, type AsyncQuery } from './async-queries.ts'

const LATER = new Set(['async', 'lazy_async', 'force_async', 'async_except_on_cache_miss'])
const LONGEST_PROMPT = 400

/** Questions as query nodes, and what helps with asking them. */
export function addQueryRoutes(routes: ApiRoutes, context: ApiContext): void {
  const running = runningQuestions(context.sql)
  const queries = new AsyncQueries({ ...context, running })
  /** However it is asked, while the asker waits or later, and whichever process runs it. */
  const cancel = async (project: number, id: string): Promise<boolean> => {
    const isLater = await queries.cancel(project, id)
    return (await running.cancel(project, id)) || isLater
  }
  routes.addToProject('query/', {
    POST: projectEndpoint({
      summary: 'Answer a query node: an insight, or SQL over events, persons, groups and sessions',
      scope: 'query:read',
      rate: 'heavy',
      query: queryParametersSchema,
      body: queryRequestSchema,
      answer: queryAnswerSchema,
      otherAnswers: { 202: queryStatusSchema },
      errors: ['query_too_heavy'],
      handle: async (call) => {
        const { query, refresh, async, client_query_id, filters_override } = call.body
        const id = client_query_id ?? uuidV7()
        const overrides = filters_override ?? null
        if (!async && !LATER.has(String(refresh)))
          return running.run({ project: call.project.id, id, signal: call.signal }, (signal) =>
            answerQuery(call, query, overrides, {
              signal,
              explain: call.query.explain === 'sql',
              refresh: asksToRefresh(refresh ?? undefined),
              queryId: `footfall-${call.project.id}-${id}-${uuidV7()}`,
            }),
          )
        const begun = await queries.begin(
          { project: call.project.id, user: call.caller.user.id, id },
          (signal, queryId) =>
            answerQuery(call, query, overrides, { signal, queryId, refresh: asksToRefresh(refresh ?? undefined) }),
        )
        call.reply.code(202)
        return call.reply
          .type('application/json; charset=utf-8')
          .send(JSON.stringify({ query_status: statusOf(begun, call) }))
      },
    }),
  })
  routes.addToProject('query/check_auth_for_async/', {
    POST: projectEndpoint({
      summary: 'Whether the caller may ask questions that are answered later',
      scope: null,
      answer: authForAsyncSchema,
      handle: () => ({ user: 'ok' }),
    }),
  })
  routes.addToProject('query/draft_sql/', {
    GET: projectEndpoint({
      summary: 'A SQL query to begin with, drafted from a prompt or useful for the project',
      scope: 'insight:read',
      query: draftSqlQuerySchema,
      answer: draftSqlSchema,
      handle: async (call) => {
        const prompt = call.query.prompt?.trim() ?? ''
        if (prompt.length > LONGEST_PROMPT) throw new ApiError('too_long', undefined, { attr: 'prompt' })
        const names = await knownNames(call)
        return { sql: prompt === '' ? starterSql(names) : draftSql(prompt, names) }
      },
    }),
  })
  routes.addToProject('query/:query_id/', {
    GET: projectEndpoint({
      summary: 'The state of a question that is answered later, and its answer',
      scope: 'query:read',
      answer: queryStatusSchema,
      otherAnswers: { 202: queryStatusSchema, 400: failedQuerySchema, 500: failedQuerySchema },
      handle: async (call) => {
        const found = await queries.find(call.project.id, call.params.query_id ?? '')
        if (!found)
          throw new ApiError('not_found', `Query ${call.params.query_id} not found for project ${call.project.id}`)
        const status = { query_status: statusOf(found, call) }
        const code = { running: 202, done: 200, cancelled: 400, failed: found.error_message === null ? 500 : 400 }[
          found.state
        ]
        return call.reply.code(code).type('application/json; charset=utf-8').send(inlined(status, found))
      },
    }),
    DELETE: projectEndpoint({
      summary: 'Cancel a question',
      scope: 'query:read',
      answer: cancelledQuerySchema,
      handle: async ({ project, params }) => {
        if (!(await cancel(project.id, params.query_id ?? ''))) throw new ApiError('not_found')
        return { message: 'Query cancelled' }
      },
    }),
  })
  const taken = projectEndpoint({
    summary: 'Cancel the question that was asked with this `client_query_id`',
    scope: 'insight:read',
    answer: cancelledQuestionSchema,
    status: 201,
    handle: async (call) => {
      const { client_query_id: id } = fieldsOf(call)
      if (typeof id !== 'string' || id === '') throw new ApiError('required', undefined, { attr: 'client_query_id' })
      // What is over already is cancelled well enough.
      return { success: true, cancelled: await cancel(call.project.id, id) }
    },
  })
  routes.addToProject('insights/cancel/', {
    GET: { ...taken, query: cancelQuestionQuerySchema },
    POST: { ...taken, query: cancelQuestionQuerySchema, body: cancelQuestionBodySchema },
  })
}

async function knownNames({ sql, project }: Pick<ProjectCall, 'sql' | 'project'>) {
  const [events, ofEvents, ofPersons] = await Promise.all([
    listEventDefinitions(sql, project.id, { limit: 500 }),
    listPropertyDefinitions(sql, project.id, { type: 'event', limit: 500 }),
    listPropertyDefinitions(sql, project.id, { type: 'person', limit: 500 }),
  ])
  const names = ({ results }: { results: readonly { name: string }[] }) => results.map(({ name }) => name)
  return { events: names(events), eventProperties: names(ofEvents), personProperties: names(ofPersons) }
}

const statusOf = (query: AsyncQuery, { project }: Pick<ProjectCall, 'project'>) => ({
  id: query.id,
  team_id: project.id,
  query_async: true,
  complete: query.state !== 'running',
  error: query.state === 'failed' || query.state === 'cancelled',
  error_message: query.state === 'cancelled' ? 'Query was cancelled' : query.error_message,
  start_time: query.started_at,
  pickup_time: query.started_at,
  end_time: query.ended_at,
  expiration_time: query.expires_at,
  results: null,
  task_id: null,
  insight_id: null,
  dashboard_id: null,
  query_progress: null,
  labels: null,
})

/** The answer stands in the status as the text it was stored as. */
function inlined(status: { query_status: ReturnType<typeof statusOf> }, { state, answer }: AsyncQuery): string {
  const text = JSON.stringify(status)
  return state === 'done' && answer !== null ? text.replace('"results":null', () => `"results":${answer}`) : text
}
