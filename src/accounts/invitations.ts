import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import type { MemberLevel } from './organizations.ts'
import { hashOf, randomToken } from './secrets.ts'
import { createUser, joinOrganization, type User } from './users.ts'

/** A link to join an organisation: created by a member, used once, valid for a few days. */
export interface Invitation {
  readonly id: string
  readonly organization_id: string
  readonly email: string | null
  readonly level: MemberLevel
  readonly created_by: number | null
  readonly created_at: Date
  readonly expires_at: Date
}

type Db = Sql | TransactionSql

const open = (sql: Db) => sql`used_at IS NULL AND expires_at > now()`

/** The token is returned here and never again. */
export async function createInvitation(
  sql: Db,
  wanted: { organizationId: string; email: string | null; level: MemberLevel; createdBy: number; days: number },
): Promise<{ invitation: Invitation; token: string }> {
  const token = randomToken()
  // A second invitation replaces the first: one valid link is enough.
  if (wanted.email !== null)
    await sql`
      DELETE FROM invitations
      WHERE organization_id = ${wanted.organizationId} AND lower(email) = lower(${wanted.email}) AND used_at IS NULL`
  const [invitation] = await sql<Invitation[]>`
    INSERT INTO invitations (organization_id, hash, email, level, created_by, expires_at)
    VALUES (${wanted.organizationId}, ${hashOf(token)}, ${wanted.email}, ${wanted.level}, ${wanted.createdBy}, now() + make_interval(days => ${wanted.days}))
    RETURNING *`
  return { invitation: invitation as Invitation, token }
}

/** Invitations that are still valid. */
export const openInvitations = (sql: Db, organizationId: string): Promise<Invitation[]> => sql<Invitation[]>`
  SELECT * FROM invitations WHERE organization_id = ${organizationId} AND ${open(sql)} ORDER BY created_at DESC, id`

export async function withdrawInvitation(sql: Db, organizationId: string, id: string): Promise<boolean> {
  const { count } = await sql`
    DELETE FROM invitations WHERE organization_id = ${organizationId} AND id::text = ${id.toLowerCase()} AND ${open(sql)}`
  return count > 0
}

export async function findInvitation(
  sql: Db,
  token: string,
): Promise<(Invitation & { organization_name: string }) | undefined> {
  const [found] = await sql<(Invitation & { organization_name: string })[]>`
    SELECT i.*, o.name AS organization_name FROM invitations i JOIN organizations o ON o.id = i.organization_id
    WHERE hash = ${hashOf(token)} AND ${open(sql)}`
  return found
}

/** Who accepts an invitation: a user with an account, or a new one. */
export type Newcomer =
  | { readonly user: User }
  | { readonly email: string; readonly firstName: string; readonly lastName: string; readonly passwordHash: string }

/**
 * Uses the link and adds the member, both or neither: of two concurrent tries one succeeds, and the other gets
 * undefined.
 */
export async function acceptInvitation(sql: Sql, token: string, newcomer: Newcomer): Promise<User | undefined> {
  return sql.begin(async (tx) => {
    const [used] = await tx<Invitation[]>`
      UPDATE invitations SET used_at = now() WHERE hash = ${hashOf(token)} AND ${open(tx)} RETURNING *`
    if (!used) return undefined
    if (!('user' in newcomer))
      return createUser(tx, { ...newcomer, organizationId: used.organization_id, level: used.level })
    await joinOrganization(tx, used.organization_id, newcomer.user.id, used.level)
    return newcomer.user
  })
}
