import { type Caller, isAllowedFrom } from '../../accounts/index.ts'
import type { Sql } from '../../engines/postgres/index.ts'

/**
 * Whether the key or session of a request that is still being answered works, and its user may still see the project.
 */
export async function isStillAllowed(
  sql: Sql,
  { caller, project, address, scope }: { caller: Caller; project: number; address: string; scope: string },
): Promise<boolean> {
  const [member] = await sql`
    SELECT 1 FROM users JOIN organization_members m ON m.user_id = users.id
      JOIN projects p ON p.organization_id = m.organization_id
    WHERE users.id = ${caller.user.id} AND is_active AND p.id = ${project}`
  if (!member) return false
  if (caller.key === null) {
    const [session] = await sql`
      SELECT 1 FROM web_sessions WHERE hash = ${caller.session.hash} AND expires_at > now()
        AND created_at > now() - interval '90 days'`
    return session !== undefined
  }
  // A key that was rolled has another mask; one whose scopes were changed may not be allowed this any more.
  const [key] = await sql<{ allowed_addresses: string[] }[]>`
    SELECT allowed_addresses FROM personal_api_keys
    WHERE id = ${caller.key.id} AND mask_value = ${caller.key.mask_value} AND (expires_at IS NULL OR expires_at > now())
      AND last_rolled_at IS NOT DISTINCT FROM ${caller.key.last_rolled_at}
      AND scopes && ${sql.array(['*', scope, scope.replace(/:read$/, ':write')])}::text[]
      AND (scoped_projects = '{}' OR ${project} = ANY(scoped_projects))`
  return key !== undefined && isAllowedFrom(address, key.allowed_addresses)
}
