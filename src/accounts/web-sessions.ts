import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { hashOf, randomToken } from './secrets.ts'
import type { User } from './users.ts'

/**
 * Sessions of browsers. A session begins with a sign-in, lasts two weeks beyond its last use and at most 90 days, and
 * ends with a sign-out, when its user ends it in another browser, with a new password, or when it expires. The browser
 * has the token, we store its hash.
 */
export interface WebSession {
  /** Identifies the session to its user; not a secret. */
  readonly id: string
  readonly hash: Buffer
  readonly user_id: number
  readonly user_agent: string
  /** The address at the sign-in; null for sessions older than this column. */
  readonly address: string | null
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly expires_at: Date
}

type Db = Sql | TransactionSql

export const SESSION_SECONDS = 14 * 24 * 60 * 60
const LONGEST_SECONDS = 90 * 24 * 60 * 60

/** Also applies to sessions begun before this limit existed. */
const alive = (sql: Db) => sql`
  expires_at > now() AND web_sessions.created_at > now() - make_interval(secs => ${LONGEST_SECONDS})`

export async function beginWebSession(
  sql: Db,
  userId: number,
  { userAgent, address }: { readonly userAgent: string; readonly address: string },
): Promise<string> {
  const token = randomToken()
  await sql`DELETE FROM web_sessions WHERE expires_at < now()`
  await sql`
    INSERT INTO web_sessions (hash, user_id, user_agent, address, expires_at)
    VALUES (${hashOf(token)}, ${userId}, ${userAgent.slice(0, 400)}, ${address}, now() + make_interval(secs => ${SESSION_SECONDS}))`
  return token
}

export async function findWebSession(
  sql: Db,
  token: string,
): Promise<{ session: WebSession; user: User; renewed: boolean } | undefined> {
  const hash = hashOf(token)
  const [session] = await sql<WebSession[]>`SELECT * FROM web_sessions WHERE hash = ${hash} AND ${alive(sql)}`
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

/** Valid sessions, the last used first. */
export const webSessionsOf = (sql: Db, userId: number): Promise<WebSession[]> => sql<WebSession[]>`
  SELECT * FROM web_sessions WHERE user_id = ${userId} AND ${alive(sql)} ORDER BY last_seen_at DESC, id`

export const endWebSession = (sql: Db, { hash }: Pick<WebSession, 'hash'>) =>
  sql`DELETE FROM web_sessions WHERE hash = ${hash}`

/** Whether there was such a session of this user. */
export async function endWebSessionById(sql: Db, userId: number, id: string): Promise<boolean> {
  const { count } = await sql`
    DELETE FROM web_sessions WHERE user_id = ${userId} AND id::text = ${id.toLowerCase()}`
  return count > 0
}

/** After a new password all sessions of the user end, including stolen copies of this browser's cookie. */
export const endAllWebSessions = (sql: Db, userId: number) => sql`DELETE FROM web_sessions WHERE user_id = ${userId}`

/** Ends all sessions except the caller's. Returns how many. */
export async function endOtherWebSessions(sql: Db, userId: number, kept: Pick<WebSession, 'hash'>): Promise<number> {
  const { count } = await sql`DELETE FROM web_sessions WHERE user_id = ${userId} AND hash <> ${kept.hash}`
  return count
}
