import { hashOf, randomToken } from '../accounts/index.ts'
import type { Sql } from '../engines/postgres/index.ts'

/**
 * Public links to one playlist, one recording or the page of web analytics. A user creates them; they expire, or end
 * sooner when they are revoked. The token is shown once; its hash is stored.
 */
export interface Share {
  readonly id: number
  readonly project_id: number
  readonly playlist_id: number | null
  readonly session_id: string | null
  readonly page: 'web' | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly revoked_at: Date | null
}

export type Shared = { readonly playlistId: number } | { readonly sessionId: string } | { readonly page: 'web' }

export async function createShare(
  sql: Sql,
  project: number,
  userId: number,
  shared: Shared,
  expiresInDays: number,
): Promise<{ share: Share; token: string }> {
  const token = randomToken()
  const [share] = await sql<Share[]>`
    INSERT INTO recording_shares (project_id, hash, playlist_id, session_id, page, created_by, expires_at)
    VALUES (${project}, ${hashOf(token)}, ${'playlistId' in shared ? shared.playlistId : null},
      ${'sessionId' in shared ? shared.sessionId : null}, ${'page' in shared ? shared.page : null}, ${userId},
      now() + make_interval(days => ${expiresInDays}))
    RETURNING *`
  return { share: share as Share, token }
}

/** Valid links, the newest first. */
export const listShares = (sql: Sql, project: number, shared: Shared): Promise<Share[]> => sql<Share[]>`
  SELECT * FROM recording_shares
  WHERE project_id = ${project} AND revoked_at IS NULL AND expires_at > now() AND ${isOf(sql, shared)}
  ORDER BY id DESC`

/** False when there is no such valid link. */
export async function revokeShare(sql: Sql, project: number, shared: Shared, id: number): Promise<boolean> {
  const { count } = await sql`
    UPDATE recording_shares SET revoked_at = now()
    WHERE id = ${id} AND project_id = ${project} AND revoked_at IS NULL AND expires_at > now() AND ${isOf(sql, shared)}`
  return count > 0
}

function isOf(sql: Sql, shared: Shared) {
  if ('playlistId' in shared) return sql`playlist_id = ${shared.playlistId}`
  return 'sessionId' in shared ? sql`session_id = ${shared.sessionId}` : sql`page = ${shared.page}`
}

export async function findShare(sql: Sql, token: string): Promise<Share | undefined> {
  const [share] = await sql<Share[]>`
    SELECT * FROM recording_shares WHERE hash = ${hashOf(token)} AND revoked_at IS NULL AND expires_at > now()`
  return share
}
