import type { Query } from '../../contract/queries/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'
import {
  isWebQuery,
  queryEnvelope,
  ResultCache,
  runWeb,
  vitalsTrend,
  type WebAnswer,
  webEnvelope,
} from '../../insights/index.ts'
import type { ProjectCall } from '../frame/context.ts'
import { answerInsight } from '../insights/insight-answers.ts'
import { insightContext } from '../insights/insight-question.ts'

type Asking = Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>

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
  { signal, refresh = false, explain = false }: { signal?: AbortSignal; refresh?: boolean; explain?: boolean },
) {
  if (!isWebQuery(query)) return undefined
  if (query.kind === 'WebVitalsQuery') {
    const { answer, ...freshness } = await answerInsight(call, vitalsTrend(query), {
      refresh,
      ...(signal && { signal }),
    })
    return queryEnvelope(answer, { ...freshness, explain })
  }
  const context = await insightContext(call)
  const make = () => runWeb(context, query, { signal })
  const { answer, isCached, lastRefresh } = await cacheOf(call.sql).answer(call.sql, context, query, make, { refresh })
  return webEnvelope(answer, { isCached, lastRefresh, explain })
}
