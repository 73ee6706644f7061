import {
  type InsightContext,
  nodeOfLegacyFilter,
  openInsightContext,
  type Query,
  readQuery,
} from '../insights/index.ts'
import { isObject } from '../lib/json.ts'
import type { ProjectCall } from './context.ts'

/**
 * What an insight endpoint is asked: a `query` node (object or JSON text), else `filters`, else legacy keys at the top level.
 * The body wins over the query string.
 */
export function questionOf({ query, body }: Pick<ProjectCall, 'query' | 'body'>, insight = 'TRENDS'): Query {
  const fields = { ...(query as Record<string, unknown>), ...(isObject(body) ? body : {}) }
  const node = fields.query
  const given = node !== undefined && node !== null && node !== ''
  return readQuery(given ? node : nodeOfLegacyFilter(fields, insight))
}

/** What answering needs of the call's project. */
export const insightContext = (
  call: Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>,
): Promise<InsightContext> => openInsightContext(call)
