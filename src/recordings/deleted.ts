import type { Sql } from '../engines/postgres/index.ts'

/** Which of these sessions were deleted: `project session` of each. */
export async function deletedAmong(
  sql: Sql,
  sessions: readonly { readonly project: number; readonly sessionId: string }[],
): Promise<ReadonlySet<string>> {
  if (sessions.length === 0) return new Set()
  const rows = await sql<{ project_id: number; session_id: string }[]>`
    SELECT project_id, session_id FROM deleted_recordings
    WHERE (project_id, session_id) IN (
      SELECT * FROM unnest(${sql.array(sessions.map(({ project }) => project))}::int[], ${sql.array(sessions.map(({ sessionId }) => sessionId))}::text[]))`
  return new Set(rows.map(({ project_id, session_id }) => `${project_id} ${session_id}`))
}
