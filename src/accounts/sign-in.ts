import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { hashOf, hashPassword, passwordMatches, randomToken } from './secrets.ts'
import { findUserByEmail, type User } from './users.ts'

type Db = Sql | TransactionSql

/** A link that signs its user in once, within a day. */
export async function createSignInLink(sql: Db, userId: number): Promise<string> {
  const token = randomToken()
  await sql`INSERT INTO sign_in_links (hash, user_id, expires_at) VALUES (${hashOf(token)}, ${userId}, now() + interval '24 hours')`
  return token
}

/** The user of a link, which is used up by this. One statement, so that of two who try at once one succeeds. */
export async function redeemSignInLink(sql: Db, token: string): Promise<User | undefined> {
  const [user] = await sql<User[]>`
    WITH used AS (
      UPDATE sign_in_links SET used_at = now()
      WHERE hash = ${hashOf(token)} AND used_at IS NULL AND expires_at > now() RETURNING user_id)
    SELECT users.* FROM users JOIN used ON used.user_id = users.id WHERE is_active`
  return user
}

let unknownUser: Promise<string> | undefined

/** Takes as long for an e-mail nobody has as for a wrong password, so that an answer does not tell who has an account. */
export async function userOfPassword(sql: Db, email: string, password: string): Promise<User | undefined> {
  const user = await findUserByEmail(sql, email)
  unknownUser ??= hashPassword(randomToken())
  const matches = await passwordMatches(password, user?.password_hash ?? (await unknownUser))
  return matches && user?.password_hash && user.is_active ? user : undefined
}

export async function setPassword(sql: Db, userId: number, password: string): Promise<void> {
  await sql`UPDATE users SET password_hash = ${await hashPassword(password)} WHERE id = ${userId}`
}
