import { type InsightContext, nodeOfLegacyFilter, type Query, readQuery } from '../insights/index.ts'
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

/** What answering needs of the project. The join with merged persons is spared where there are none. */
export async function insightContext({
  sql,
  clickhouse,
  project,
  now,
}: Pick<ProjectCall, 'sql' | 'clickhouse' | 'project' | 'now'>): Promise<InsightContext> {
  const [merged] = await sql`SELECT 1 FROM person_overrides WHERE project_id = ${project.id} LIMIT 1`
  return { clickhouse, project, now: now().getTime(), hasOverrides: merged !== undefined }
}
