/** Who looked at which insight last, and what browsers tell about waiting. */
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type Json, stringifyJson } from '../../lib/json.ts'
import type { SavedInsight } from './insight.ts'

/** Only insights of the project that are not deleted; returns how many there were. */
export async function noteViews(
  sql: Sql | TransactionSql,
  project: number,
  userId: number,
  ids: readonly number[],
): Promise<number> {
  const noted = await sql`
    INSERT INTO insight_views (insight_id, user_id)
    SELECT id, ${userId} FROM insights WHERE project_id = ${project} AND id = ANY(${[...new Set(ids)]}::int[]) AND NOT deleted
    ON CONFLICT (insight_id, user_id) DO UPDATE SET viewed_at = clock_timestamp()
    RETURNING insight_id`
  return noted.length
}

export const lastViewed = (
  sql: Sql,
  project: number,
  userId: number,
  limit: number,
): Promise<(SavedInsight & { readonly viewed_at: Date })[]> => sql<(SavedInsight & { viewed_at: Date })[]>`
  SELECT i.*, v.viewed_at FROM insight_views v JOIN insights i ON i.id = v.insight_id
  WHERE v.user_id = ${userId} AND i.project_id = ${project} AND NOT i.deleted
  ORDER BY v.viewed_at DESC, i.id DESC LIMIT ${limit}`

export async function keepTiming(sql: Sql, project: number, userId: number, sample: Json): Promise<void> {
  await sql`
    INSERT INTO timing_samples (project_id, user_id, sample)
    VALUES (${project}, ${userId}, ${stringifyJson(sample)}::text::json)`
}
