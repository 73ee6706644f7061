import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { announceProjects, type Project } from './projects.ts'
import { newProjectToken } from './secrets.ts'

/**
 * A new API key for a project. The old one is still accepted for this long, so that pages and apps can be changed
 * meanwhile.
 */
export async function rotateProjectToken(
  tx: TransactionSql,
  { id }: Pick<Project, 'id'>,
  graceHours: number,
): Promise<Project> {
  const [before] = await tx<Project[]>`SELECT * FROM projects WHERE id = ${id} FOR UPDATE`
  if (before)
    await tx`
      INSERT INTO retired_project_tokens (api_token, project_id, accepted_until)
      VALUES (${before.api_token}, ${id}, now() + make_interval(hours => ${graceHours}))
      ON CONFLICT (api_token) DO UPDATE SET accepted_until = excluded.accepted_until, retired_at = excluded.retired_at`
  const [project] = await tx<Project[]>`
    UPDATE projects SET api_token = ${newProjectToken()}, updated_at = now() WHERE id = ${id} RETURNING *`
  await announceProjects(tx)
  return project as Project
}

export interface RetiredToken {
  readonly api_token: string
  readonly retired_at: Date
  readonly accepted_until: Date
}

/** Replaced keys that are still accepted. */
export const acceptedTokens = (sql: Sql | TransactionSql, projectId: number): Promise<RetiredToken[]> =>
  sql<RetiredToken[]>`
    SELECT api_token, retired_at, accepted_until FROM retired_project_tokens
    WHERE project_id = ${projectId} AND accepted_until > now() ORDER BY retired_at DESC`

/** Ends the grace period of every replaced key now. */
export async function endGrace(tx: TransactionSql, projectId: number): Promise<void> {
  await tx`
    UPDATE retired_project_tokens SET accepted_until = now() WHERE project_id = ${projectId} AND accepted_until > now()`
  await announceProjects(tx)
}
