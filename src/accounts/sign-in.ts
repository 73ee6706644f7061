import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { hashPassword, passwordMatches } from './password-hashing.ts'
import { hashOf, randomToken } from './secrets.ts'
import { findUserByEmail, type User } from './users.ts'

type Db = Sql | TransactionSql

/** A link that signs its user in once, within a day. */
export async function createSignInLink(sql: Db, userId: number): Promise<string> {
  const token = randomToken()
  await sql`INSERT INTO sign_in_links (hash, user_id, expires_at) VALUES (${hashOf(token)}, ${userId}, now() + interval '24 hours')`
  return token
}

/** The user of a link, which is then used up. One statement, so that of two concurrent tries one succeeds. */
export async function redeemSignInLink(sql: Db, token: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    WITH used AS (
      UPDATE sign_in_links SET used_at = now()
      WHERE hash = ${hashOf(token)} AND used_at IS NULL AND expires_at > now() RETURNING user_id)
    SELECT users.* FROM users JOIN used ON used.user_id = users.id WHERE is_active`
  return user
}

let unknownUser: Promise<string> | undefined

/**
 * Takes as long for an unknown e-mail as for a wrong password, so that the response does not tell who has an account.
 * `from` is the address of the client: addresses take turns (password-hashing.ts).
 */
export async function userOfPassword(
  sql: Db,
  email: string,
  password: string,
  from: string,
): Promise<User | undefined> {
  const user = await findUserByEmail(sql, email)
  unknownUser ??= hashPassword(randomToken())
  const matches = await passwordMatches(password, user?.password_hash ?? (await unknownUser), from)
  return matches && user?.password_hash && user.is_active ? user : undefined
}

/** Also ends earlier sign-in links: a new password may be set because a link was lost. */
export async function setPassword(tx: TransactionSql, userId: number, passwordHash: string): Promise<void> {
  await tx`UPDATE users SET password_hash = ${passwordHash} WHERE id = ${userId}`
  await tx`DELETE FROM sign_in_links WHERE user_id = ${userId} AND used_at IS NULL`
}

/** Whether the user of this e-mail signed in with the right password from this address lately. */
export async function signsInFrom(sql: Db, email: string, address: string): Promise<boolean> {
  const [found] = await sql`
    SELECT 1 FROM sign_in_addresses JOIN users ON users.id = user_id
    WHERE lower(email) = lower(${email}) AND address = ${address} AND last_at > now() - interval '30 days'`
  return found !== undefined
}

export async function noteSignInFrom(sql: Db, userId: number, address: string): Promise<void> {
  await sql`
    INSERT INTO sign_in_addresses (user_id, address) VALUES (${userId}, ${address})
    ON CONFLICT (user_id, address) DO UPDATE SET last_at = now()`
}
