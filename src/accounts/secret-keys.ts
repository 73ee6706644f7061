import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { isAllowedFrom } from './allowed-addresses.ts'
import { reachesOrganization, reachesProject } from './callers.ts'
import { findKeyHolder, noteKeyUse } from './personal-keys.ts'
import { findProject } from './projects.ts'
import { grants, type Scope } from './scopes.ts'
import { hashOf, maskOf, newSecretKey, randomToken } from './secrets.ts'

/** A key of a server that evaluates flags itself: it reads the flags of one project and nothing else. */
export interface SecretKey {
  readonly id: string
  readonly project_id: number
  readonly label: string
  readonly mask_value: string
  readonly created_by: number | null
  readonly created_at: Date
  readonly last_rolled_at: Date | null
  readonly last_used_at: Date | null
}

type Db = Sql | TransactionSql

/** The value is returned only here: only its hash is stored. */
export async function createSecretKey(
  sql: Db,
  { projectId, label, userId }: { readonly projectId: number; readonly label: string; readonly userId: number | null },
): Promise<{ key: SecretKey; value: string }> {
  const value = newSecretKey()
  const [key] = await sql<SecretKey[]>`
    INSERT INTO project_secret_keys (id, project_id, label, hash, mask_value, created_by)
    VALUES (${randomToken()}, ${projectId}, ${label}, ${hashOf(value)}, ${maskOf(value)}, ${userId}) RETURNING *`
  return { key: key as SecretKey, value }
}

export const listSecretKeys = async (sql: Db, projectId: number): Promise<SecretKey[]> => [
  ...(await sql<SecretKey[]>`
    SELECT * FROM project_secret_keys WHERE project_id = ${projectId} ORDER BY created_at DESC, id`),
]

export async function findSecretKey(sql: Db, projectId: number, id: string): Promise<SecretKey | undefined> {
  const [key] = await sql<SecretKey[]>`
    SELECT * FROM project_secret_keys WHERE project_id = ${projectId} AND id = ${id}`
  return key
}

/** A new value; the old one ends at once. */
export async function rollSecretKey(
  sql: Db,
  { id }: Pick<SecretKey, 'id'>,
): Promise<{ key: SecretKey; value: string }> {
  const value = newSecretKey()
  const [key] = await sql<SecretKey[]>`
    UPDATE project_secret_keys SET hash = ${hashOf(value)}, mask_value = ${maskOf(value)}, last_rolled_at = now()
    WHERE id = ${id} RETURNING *`
  return { key: key as SecretKey, value }
}

export const deleteSecretKey = async (sql: Db, { id }: Pick<SecretKey, 'id'>): Promise<void> => {
  await sql`DELETE FROM project_secret_keys WHERE id = ${id}`
}

/** Of which project a server may read the flags with this key, and why not. `unknown`: it is no key at all. */
export type FlagAccess = { readonly project: number } | 'unknown' | 'denied'

/**
 * A secret key is of one project. A personal key needs the scope, the project and the address; without a project in the
 * request, the first that its user can see.
 */
export async function flagAccess(
  sql: Sql,
  { value, project, address }: { readonly value: string; readonly project: number | null; readonly address: string },
): Promise<FlagAccess> {
  if (value.startsWith('phs_')) return secretAccess(sql, value, project)
  const holder = await findKeyHolder(sql, value)
  if (!holder) return 'unknown'
  const { key, user } = holder
  const caller = { key, user, session: null }
  if (key.expires_at !== null && key.expires_at.getTime() <= Date.now()) return 'unknown'
  const needed: Scope = 'feature_flag:read'
  if (!isAllowedFrom(address, key.allowed_addresses) || !grants(key.scopes, needed)) return 'denied'
  const wanted = project === null ? await firstProject(sql, user.id) : project
  const found = wanted === undefined || !reachesProject(caller, wanted) ? undefined : await findProject(sql, wanted)
  if (!found || !reachesOrganization(caller, found.organization_id)) return 'denied'
  const [member] = await sql`
    SELECT 1 FROM organization_members WHERE organization_id = ${found.organization_id} AND user_id = ${user.id}`
  if (!member) return 'denied'
  await noteKeyUse(sql, key.id)
  return { project: found.id }
}

async function secretAccess(sql: Sql, value: string, project: number | null): Promise<FlagAccess> {
  const [key] = await sql<SecretKey[]>`SELECT * FROM project_secret_keys WHERE hash = ${hashOf(value)}`
  if (!key) return 'unknown'
  if (project !== null && project !== key.project_id) return 'denied'
  await sql`
    UPDATE project_secret_keys SET last_used_at = now()
    WHERE id = ${key.id} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`
  return { project: key.project_id }
}

async function firstProject(sql: Sql, userId: number): Promise<number | undefined> {
  const [first] = await sql<{ id: number }[]>`
    SELECT p.id FROM projects p JOIN organization_members m USING (organization_id)
    WHERE m.user_id = ${userId} ORDER BY p.id LIMIT 1`
  return first?.id
}
