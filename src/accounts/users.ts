import type { Sql, TransactionSql } from '../engines/postgres/index.ts'

export interface User {
  readonly id: number
  readonly uuid: string
  readonly distinct_id: string
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly password_hash: string | null
  readonly role_at_organization: string
  readonly is_active: boolean
  readonly is_email_verified: boolean
  readonly hedgehog_config: Record<string, unknown>
  readonly date_joined: Date
}

type Db = Sql | TransactionSql

export const findUserByEmail = async (sql: Db, email: string): Promise<User | undefined> =>
  (await sql<User[]>`SELECT * FROM users WHERE lower(email) = lower(${email})`)[0]

export const findUser = async (sql: Db, id: number): Promise<User | undefined> =>
  (await sql<User[]>`SELECT * FROM users WHERE id = ${id}`)[0]

/** Several users at once, for responses that name many; nulls are skipped. */
export async function usersById(sql: Db, ids: readonly (number | null)[]): Promise<Map<number, User>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  if (wanted.length === 0) return new Map()
  const users = await sql<User[]>`SELECT * FROM users WHERE id = ANY(${wanted}::int[])`
  return new Map(users.map((user) => [user.id, user]))
}

export async function createUser(
  sql: Db,
  user: {
    organizationId: string
    email: string
    firstName?: string
    lastName?: string
    passwordHash?: string
    role?: string
    level?: 'member' | 'admin' | 'owner'
  },
): Promise<User> {
  const [created] = await sql<User[]>`
    INSERT INTO users (email, first_name, last_name, password_hash, role_at_organization)
    VALUES (${user.email}, ${user.firstName ?? ''}, ${user.lastName ?? ''}, ${user.passwordHash ?? null}, ${user.role ?? ''})
    RETURNING *`
  await joinOrganization(sql, user.organizationId, (created as User).id, user.level ?? 'member')
  return created as User
}

export const joinOrganization = (sql: Db, organizationId: string, userId: number, level: string) => sql`
  INSERT INTO organization_members (organization_id, user_id, level) VALUES (${organizationId}, ${userId}, ${level})
  ON CONFLICT DO NOTHING`

/** The user as embedded in responses (created_by and the like): every field present, unset text is "". */
export const userObject = (user: User) => ({
  id: user.id,
  uuid: user.uuid,
  distinct_id: user.distinct_id,
  first_name: user.first_name,
  last_name: user.last_name,
  email: user.email,
  is_email_verified: user.is_email_verified,
  hedgehog_config: user.hedgehog_config,
  role_at_organization: user.role_at_organization,
})

type UserChanges = Partial<Pick<User, 'first_name' | 'last_name' | 'role_at_organization' | 'hedgehog_config'>>

export async function updateUser(
  sql: Db,
  id: number,
  changes: { [K in keyof UserChanges]: UserChanges[K] | undefined },
) {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const [user] =
    Object.keys(given).length === 0
      ? await sql<User[]>`SELECT * FROM users WHERE id = ${id}`
      : await sql<User[]>`UPDATE users SET ${sql(given)} WHERE id = ${id} RETURNING *`
  return user as User
}

export const setEmail = (sql: Db, id: number, email: string) => sql`
  UPDATE users SET email = ${email}, is_email_verified = false WHERE id = ${id}`
