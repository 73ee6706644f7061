import type { Sql, TransactionSql } from '../engines/postgres/index.ts'

/**
 * Who may see the state of the service itself (paths, processes, engines) and sign-ins without an organisation: admins
 * and owners of the first organisation, which belongs to the operators of the service.
 */
export async function isInstanceAdmin(sql: Sql | TransactionSql, userId: number): Promise<boolean> {
  const [found] = await sql`
    SELECT 1 FROM organization_members
    WHERE user_id = ${userId} AND level IN ('admin', 'owner')
      AND organization_id = (SELECT id FROM organizations ORDER BY created_at, id LIMIT 1)`
  return found !== undefined
}
