/** Answers of the insight road, kept while they are true, in the envelope and the format of the request. */

import type { FastifyReply } from 'fastify'
import type { Query } from '../../contract/queries/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import {
  type CsvRow,
  csvRowsOf,
  csvText,
  type InsightAnswer,
  legacyEnvelope,
  nextOffset,
  ResultCache,
  runInsight,
} from '../../insights/index.ts'
import { asText } from '../../lib/json.ts'
import type { ProjectCall } from '../frame/context.ts'
import { csvFile } from '../frame/csv.ts'
import { linksOf, samePage } from './insight-links.ts'
import { asSent, fieldsOf, insightContext } from './insight-question.ts'
import { runningQuestions } from './running-questions.ts'

/** One for all endpoints of a service, which share their connections to Postgres. */
const caches = new WeakMap<Sql, ResultCache<InsightAnswer>>()

export function cacheOf(sql: Sql): ResultCache<InsightAnswer> {
  const cache = caches.get(sql) ?? new ResultCache<InsightAnswer>()
  caches.set(sql, cache)
  return cache
}

type Asking = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>

export async function answerInsight(
  call: Asking,
  question: Query,
  { refresh = false, signal }: { readonly refresh?: boolean; readonly signal?: AbortSignal } = {},
) {
  const context = await insightContext(call)
  const make = () => runInsight(context, question, { signal })
  return cacheOf(call.sql).answer(call.sql, context, question, make, { refresh })
}

/** true, "true", "" and the forms that say force leave the cache aside. */
const REFRESHING = new Set(['true', '', '1', 'force_blocking', 'force_async'])

export const asksToRefresh = (given: unknown): boolean => given !== undefined && REFRESHING.has(asText(given))

/** The answer of a legacy endpoint, as JSON or CSV. */
export async function legacyAnswer(call: ProjectCall, question: Query, insight: string) {
  const fields = fieldsOf(call)
  const refresh = asksToRefresh(fields.refresh)
  const id = typeof fields.client_query_id === 'string' ? fields.client_query_id : undefined
  const { answer, isCached, lastRefresh } = await runningQuestions(call.sql).run(
    { project: call.project.id, id, signal: call.signal },
    (signal) => asSent(call, () => answerInsight(call, question, { refresh, signal })),
  )
  if (call.format === 'csv') return sendTable(call.reply, insight, csvRowsOf(answer.result))
  const more = answer.result.kind === 'TrendsQuery' ? nextOffset(answer.result) : null
  return legacyEnvelope(answer, linksOf(call, insight), {
    isCached,
    lastRefresh,
    explain: fields.explain === 'sql',
    next: more === null ? null : samePage(call, { offset: more }),
  })
}

export const sendTable = (reply: FastifyReply, name: string, rows: readonly CsvRow[]) =>
  csvFile(reply, name.toLowerCase()).send(csvText(rows))
