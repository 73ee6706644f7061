import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { LEVELS, type Member, type MemberLevel, membersOf } from './organizations.ts'

type Refusal = string

/**
 * Whether a member may give another one this level; if not, why. Members cannot change those above them, and only
 * owners create owners.
 */
export function mayChangeLevel(
  actor: Pick<Member, 'id' | 'level'>,
  member: Pick<Member, 'id' | 'level'>,
  level: MemberLevel,
): Refusal | null {
  if (actor.level === 'member') return 'Only admins and owners may change what members may do.'
  if (actor.id === member.id) return 'You cannot change your own level: ask another admin or owner.'
  if (LEVELS[member.level] > LEVELS[actor.level]) return 'You cannot change somebody whose level is above yours.'
  if (LEVELS[level] > LEVELS[actor.level]) return 'You cannot give a level above your own.'
  return null
}

/** Whether a member may remove another one, or leave; if not, why. An organisation always has an owner. */
export function mayRemove(
  actor: Pick<Member, 'id' | 'level'>,
  member: Pick<Member, 'id' | 'level'>,
  owners: number,
): Refusal | null {
  if (member.level === 'owner' && owners === 1)
    return 'The last owner cannot leave: make another member an owner first.'
  if (actor.id === member.id) return null
  if (actor.level === 'member') return 'Only admins and owners may remove members.'
  if (LEVELS[member.level] > LEVELS[actor.level]) return 'You cannot remove somebody whose level is above yours.'
  return null
}

/** All members of an organisation, locked until the transaction ends: two owners cannot remove each other at once. */
export async function lockMembers(tx: TransactionSql, organizationId: string): Promise<Member[]> {
  await tx`SELECT 1 FROM organizations WHERE id = ${organizationId} FOR UPDATE`
  return membersOf(tx, organizationId)
}

export const setLevel = (sql: Sql | TransactionSql, organizationId: string, userId: number, level: MemberLevel) => sql`
  UPDATE organization_members SET level = ${level} WHERE organization_id = ${organizationId} AND user_id = ${userId}`

/** Signs out users without any organisation. */
export async function removeMember(tx: TransactionSql, organizationId: string, userId: number): Promise<void> {
  await tx`DELETE FROM organization_members WHERE organization_id = ${organizationId} AND user_id = ${userId}`
  await tx`
    DELETE FROM web_sessions WHERE user_id = ${userId} AND NOT EXISTS (SELECT 1 FROM organization_members WHERE user_id = ${userId})`
}
