import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import type { User } from './users.ts'

export type MemberLevel = 'member' | 'admin' | 'owner'

/** Levels as numbers on the wire. */
export const LEVELS = { member: 1, admin: 8, owner: 15 } as const satisfies Record<MemberLevel, number>

export interface Membership {
  readonly id: string
  readonly name: string
  readonly level: MemberLevel
  readonly created_at: Date
}

type Db = Sql | TransactionSql

/** The organisations of a user, in the order of joining. */
export const organizationsOf = (sql: Db, userId: number): Promise<Membership[]> => sql<Membership[]>`
  SELECT o.id, o.name, o.created_at, m.level FROM organization_members m JOIN organizations o ON o.id = m.organization_id
  WHERE m.user_id = ${userId} ORDER BY m.joined_at, o.id`

export interface Member extends User {
  readonly level: MemberLevel
  readonly joined_at: Date
}

export const membersOf = (sql: Db, organizationId: string): Promise<Member[]> => sql<Member[]>`
  SELECT u.*, m.level, m.joined_at FROM organization_members m JOIN users u ON u.id = m.user_id
  WHERE m.organization_id = ${organizationId} ORDER BY m.joined_at, u.id`
