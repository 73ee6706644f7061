import type { Sql } from '../engines/postgres/index.ts'
import type { PersonalKey } from './personal-keys.ts'
import { hashOf, maskOf, newPersonalKey } from './secrets.ts'

export const MOST_KEYS_PER_USER = 10

export const keysOf = (sql: Sql, userId: number): Promise<PersonalKey[]> => sql<PersonalKey[]>`
  SELECT * FROM personal_api_keys WHERE user_id = ${userId} ORDER BY created_at DESC, id`

export const findKey = async (sql: Sql, userId: number, id: string): Promise<PersonalKey | undefined> =>
  (await sql<PersonalKey[]>`SELECT * FROM personal_api_keys WHERE user_id = ${userId} AND id = ${id}`)[0]

interface KeyChanges {
  readonly label?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly scoped_projects?: readonly number[] | undefined
  readonly scoped_organizations?: readonly string[] | undefined
  readonly expires_at?: Date | null | undefined
  readonly allowed_addresses?: readonly string[] | undefined
}

export async function updateKey(sql: Sql, key: PersonalKey, changes: KeyChanges): Promise<PersonalKey> {
  const { label, scopes, scoped_projects, scoped_organizations, allowed_addresses } = { ...key, ...definedOf(changes) }
  const expires_at = changes.expires_at === undefined ? key.expires_at : changes.expires_at
  const [changed] = await sql<PersonalKey[]>`
    UPDATE personal_api_keys SET label = ${label}, scopes = ${sql.array([...scopes])}::text[],
      scoped_projects = ${sql.array([...scoped_projects])}::integer[],
      scoped_organizations = ${sql.array([...scoped_organizations])}::uuid[], expires_at = ${expires_at},
      allowed_addresses = ${sql.array([...allowed_addresses])}::text[]
    WHERE id = ${key.id} RETURNING *`
  return changed ?? key
}

/** A new value for the same key: the old one stops working at once. */
export async function rollKey(sql: Sql, key: PersonalKey): Promise<{ key: PersonalKey; value: string }> {
  const value = newPersonalKey()
  const [rolled] = await sql<PersonalKey[]>`
    UPDATE personal_api_keys SET hash = ${hashOf(value)}, mask_value = ${maskOf(value)}, last_rolled_at = now()
    WHERE id = ${key.id} RETURNING *`
  return { key: rolled ?? key, value }
}

export const deleteKey = (sql: Sql, { id }: PersonalKey) => sql`DELETE FROM personal_api_keys WHERE id = ${id}`

const definedOf = <T extends object>(changes: T) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }
