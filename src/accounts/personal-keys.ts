import type { Sql, TransactionSql } from '../engines/postgres/index.ts'
import { hashOf, maskOf, newPersonalKey, randomToken } from './secrets.ts'
import { findUser, type User } from './users.ts'

export interface PersonalKey {
  readonly id: string
  readonly user_id: number
  readonly label: string
  readonly mask_value: string
  readonly scopes: readonly string[]
  readonly scoped_projects: readonly number[]
  readonly scoped_organizations: readonly string[]
  /** When it expires; null: never. */
  readonly expires_at: Date | null
  /** Addresses and networks from which it may be used; empty: all. */
  readonly allowed_addresses: readonly string[]
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly last_rolled_at: Date | null
}

type Db = Sql | TransactionSql

interface NewPersonalKey {
  readonly userId: number
  readonly label: string
  readonly scopes: readonly string[]
  readonly scopedProjects?: readonly number[]
  readonly scopedOrganizations?: readonly string[]
  readonly value?: string
  readonly expiresAt?: Date | null
  readonly allowedAddresses?: readonly string[]
}

/** The value is returned only here: only its hash is stored. */
export async function createPersonalKey(sql: Db, key: NewPersonalKey): Promise<{ key: PersonalKey; value: string }> {
  const value = key.value ?? newPersonalKey()
  const [created] = await sql<PersonalKey[]>`
    INSERT INTO personal_api_keys (id, user_id, label, hash, mask_value, scopes, scoped_projects, scoped_organizations,
      expires_at, allowed_addresses)
    VALUES (${randomToken()}, ${key.userId}, ${key.label}, ${hashOf(value)}, ${maskOf(value)}, ${sql.array([...key.scopes])}::text[],
      ${sql.array([...(key.scopedProjects ?? [])])}::integer[], ${sql.array([...(key.scopedOrganizations ?? [])])}::uuid[],
      ${key.expiresAt ?? null}, ${sql.array([...(key.allowedAddresses ?? [])])}::text[])
    RETURNING *`
  return { key: created as PersonalKey, value }
}

interface KeyHolder {
  readonly key: PersonalKey
  readonly user: User
}

export async function findKeyHolder(sql: Db, value: string): Promise<KeyHolder | undefined> {
  const [key] = await sql<PersonalKey[]>`SELECT * FROM personal_api_keys WHERE hash = ${hashOf(value)}`
  const user = key && (await findUser(sql, key.user_id))
  return key && user?.is_active ? { key, user } : undefined
}

/** At most once an hour: a write for every request would cost more than the request. */
export const noteKeyUse = (sql: Db, id: string) => sql`
  UPDATE personal_api_keys SET last_used_at = now()
  WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`
