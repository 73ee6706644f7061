import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { hashOf, randomToken } from './secrets.ts'
import type { User } from './users.ts'

/**
 * Who is signed in in a browser. A session begins with a sign-in, lives two weeks beyond its last use, and ends with a sign-out, with a
 * change of the password elsewhere, or by itself. The browser holds the token, we hold its hash.
 */
export interface WebSession {
  readonly hash: Buffer
  readonly user_id: number
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly expires_at: Date
}

type Db = Sql | TransactionSql

export const SESSION_SECONDS = 14 * 24 * 60 * 60

export async function beginWebSession(sql: Db, userId: number, userAgent: string): Promise<string> {
  const token = randomToken()
  await sql`DELETE FROM web_sessions WHERE expires_at < now()`
  await sql`
    INSERT INTO web_sessions (hash, user_id, user_agent, expires_at)
    VALUES (${hashOf(token)}, ${userId}, ${userAgent.slice(0, 400)}, now() + make_interval(secs => ${SESSION_SECONDS}))`
  return token
}

export async function findWebSession(
  sql: Db,
  token: string,
): Promise<{ session: WebSession; user: User; renewed: boolean } | undefined> {
  const hash = hashOf(token)
  const [session] = await sql<WebSession[]>`SELECT * FROM web_sessions WHERE hash = ${hash} AND expires_at > now()`
  const [user] = session
    ? await sql<User[]>`SELECT * FROM users WHERE id = ${session.user_id} AND is_active`
    : ([] as User[])
  if (!session || !user) return undefined
  return { session, user, renewed: await renew(sql, hash) }
}

/** At most once an hour: a write for every request would cost more than the request. */
async function renew(sql: Db, hash: Buffer): Promise<boolean> {
  const { count } = await sql`
    UPDATE web_sessions SET last_seen_at = now(), expires_at = now() + make_interval(secs => ${SESSION_SECONDS})
    WHERE hash = ${hash} AND last_seen_at < now() - interval '1 hour'`
  return count > 0
}

export const endWebSession = (sql: Db, { hash }: Pick<WebSession, 'hash'>) =>
  sql`DELETE FROM web_sessions WHERE hash = ${hash}`

/** After a change of the password: whoever else is signed in as this user has to sign in again. */
export const endOtherWebSessions = (sql: Db, userId: number, kept: Pick<WebSession, 'hash'> | null) =>
  sql`DELETE FROM web_sessions WHERE user_id = ${userId} AND hash <> ${kept?.hash ?? Buffer.alloc(0)}`
