import type { Query } from '../../contract/queries/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import {
  type InsightContext,
  isAnsweredHere,
  isWebQuery,
  queryEnvelope,
  ResultCache,
  runWeb,
  vitalsTrend,
  type WebAnswer,
  webEnvelope,
  webTogether,
} from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { answerInsight } from '../insights/insight-answers.ts'
import { insightContext } from '../insights/insight-question.ts'

type Asking = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now' | 'placesCredit'>

interface Opened {
  readonly context: InsightContext
  readonly run: ReturnType<typeof webTogether>
}

interface Options {
  readonly signal?: AbortSignal | undefined
  readonly refresh?: boolean
  readonly explain?: boolean
  /** Of questions that were asked at once. */
  readonly open?: () => Promise<Opened>
}

const caches = new WeakMap<Sql, ResultCache<WebAnswer>>()

function cacheOf(sql: Sql): ResultCache<WebAnswer> {
  const cache = caches.get(sql) ?? new ResultCache<WebAnswer>()
  caches.set(sql, cache)
  return cache
}

/** A question of web analytics; undefined when it is another. */
export async function answerWeb(
  call: Asking,
  query: Query,
  { signal, refresh = false, explain = false, open = () => openAlone(call, signal) }: Options,
) {
  if (isWebQuery(query) && query.kind === 'WebVitalsQuery') {
    const { answer, ...freshness } = await answerInsight(call, vitalsTrend(query), {
      refresh,
      ...(signal && { signal }),
    })
    return queryEnvelope(answer, { ...freshness, explain })
  }
  if (!isAnsweredHere(query)) return undefined
  const { context, run } = await open()
  const cached = await cacheOf(call.sql).answer(call.sql, context, query, () => run(query), { refresh })
  const sent = webEnvelope(cached.answer, { ...cached, explain })
  const places = query.kind === 'WebStatsTableQuery' && /^(Region|City)$/.test(query.breakdownBy)
  return places ? { ...sent, attribution: call.placesCredit?.() ?? null } : sent
}

async function openAlone(call: Asking, signal: AbortSignal | undefined): Promise<Opened> {
  const context = await insightContext(call)
  return { context, run: (query) => runWeb(context, query, { signal }) }
}

/** How to answer each of several questions: what they need is read once, and one statement may answer several. */
export function answerWebTogether(
  call: Asking,
  queries: readonly Query[],
  { signal }: Pick<Options, 'signal'> = {},
): (query: Query) => ReturnType<typeof answerWeb> {
  let opened: Promise<Opened> | undefined
  const openAll = async (): Promise<Opened> => {
    const context = await insightContext(call)
    return { context, run: webTogether(context, queries.filter(isAnsweredHere), { signal }) }
  }
  const open = () => {
    opened ??= openAll()
    return opened
  }
  return (query) => answerWeb(call, query, { signal, open })
}
