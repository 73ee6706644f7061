import type { Sql } from '../engines/postgres/index.ts'

/** Who has watched what. */
interface Views {
  readonly viewed: boolean
  /** E-mails of others who have. */
  readonly viewers: readonly string[]
}

export const markViewed = (sql: Sql, project: number, sessionId: string, userId: number) => sql`
  INSERT INTO recording_views (project_id, session_id, user_id) VALUES (${project}, ${sessionId}, ${userId})
  ON CONFLICT (project_id, session_id, user_id) DO UPDATE SET viewed_at = now()`

export const markUnviewed = (sql: Sql, project: number, sessionId: string, userId: number) => sql`
  DELETE FROM recording_views WHERE project_id = ${project} AND session_id = ${sessionId} AND user_id = ${userId}`

export async function viewsOf(
  sql: Sql,
  project: number,
  sessionIds: readonly string[],
  userId: number | null,
): Promise<(sessionId: string) => Views> {
  const rows =
    sessionIds.length === 0
      ? []
      : await sql<{ session_id: string; viewed: boolean; viewers: string[] | null }[]>`
    SELECT v.session_id, coalesce(bool_or(v.user_id = ${userId ?? 0}), false) AS viewed,
      array_agg(u.email ORDER BY u.email) FILTER (WHERE u.id <> ${userId ?? 0}) AS viewers
    FROM recording_views v JOIN users u ON u.id = v.user_id
    WHERE v.project_id = ${project} AND v.session_id = ANY(${sql.array([...sessionIds])}::text[]) GROUP BY v.session_id`
  const known = new Map(rows.map(({ session_id, viewed, viewers }) => [session_id, { viewed, viewers: viewers ?? [] }]))
  return (sessionId) => known.get(sessionId) ?? { viewed: false, viewers: [] }
}
