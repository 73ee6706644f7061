import type { Sql, TransactionSql } from '../engines/postgres/index.ts'

/**
 * Who may see how the service itself is (paths, processes, engines) and sign-ins that belong to no organisation: admins and owners of
 * the organisation that was there first, which is the one of those who run the service.
 */
export async function isInstanceAdmin(sql: Sql | TransactionSql, userId: number): Promise<boolean> {
  const [found] = await sql`
    SELECT 1 FROM organization_members
    WHERE user_id = ${userId} AND level IN ('admin', 'owner')
      AND organization_id = (SELECT id FROM organizations ORDER BY created_at, id LIMIT 1)`
  return found !== undefined
}
