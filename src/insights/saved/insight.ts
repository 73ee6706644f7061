/** Insights that are kept. */
import { randomInt } from 'node:crypto'
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type Json, stringifyJson } from '../../lib/json.ts'

export interface SavedInsight {
  readonly id: number
  readonly project_id: number
  readonly short_id: string
  readonly name: string | null
  readonly derived_name: string | null
  readonly description: string | null
  readonly filters: Json
  readonly query: Json
  readonly order: number | null
  readonly deleted: boolean
  readonly favorited: boolean
  readonly saved: boolean
  readonly tags: readonly string[]
  readonly created_at: Date
  readonly created_by: number | null
  readonly updated_at: Date
  readonly last_modified_at: Date
  readonly last_modified_by: number | null
}

/** What a client may write. What is undefined stays, or has its default. */
export interface InsightFields {
  readonly name?: string | null | undefined
  readonly derived_name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly filters?: Json | undefined
  readonly query?: Json | undefined
  readonly order?: number | null | undefined
  readonly deleted?: boolean | undefined
  readonly favorited?: boolean | undefined
  readonly saved?: boolean | undefined
  readonly tags?: readonly string[] | undefined
}

type Db = Sql | TransactionSql

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const shortId = (): string => Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

export async function createInsight(
  sql: Db,
  project: number,
  userId: number,
  fields: InsightFields,
  from: { readonly shortId?: string | null; readonly createdAt?: Date | null } = {},
): Promise<SavedInsight> {
  for (let attempt = 0; ; attempt++) {
    const identity = {
      project_id: project,
      short_id: (attempt === 0 ? from.shortId : null) ?? shortId(),
      created_by: userId,
      last_modified_by: userId,
      ...(from.createdAt ? { created_at: from.createdAt } : {}),
    }
    const [created] = await sql<{ id: number }[]>`
      INSERT INTO insights ${sql(identity)} ON CONFLICT (project_id, short_id) DO NOTHING RETURNING id`
    if (created) return write(sql, created.id, fields)
  }
}

/** By its number or its short id. */
export async function findInsight(
  sql: Db,
  project: number,
  id: string,
  { deletedToo = false } = {},
): Promise<SavedInsight | undefined> {
  const number = /^\d{1,9}$/.test(id) ? Number(id) : 0
  const [found] = await sql<SavedInsight[]>`
    SELECT * FROM insights
    WHERE project_id = ${project} AND (short_id = ${id} OR id = ${number}) AND (${deletedToo} OR NOT deleted)
    ORDER BY (id = ${number}) DESC LIMIT 1`
  return found
}

/** Every change moves updated_at; who modified it and when is noted for what it asks and how it is called. */
export async function updateInsight(
  sql: Db,
  insight: SavedInsight,
  userId: number,
  fields: InsightFields,
): Promise<SavedInsight> {
  const { name, description, filters, query } = fields
  const modified = [name, description, filters, query].some((field) => field !== undefined)
  await sql`
    UPDATE insights SET updated_at = clock_timestamp()
      ${modified ? sql`, last_modified_at = clock_timestamp(), last_modified_by = ${userId}` : sql``}
    WHERE id = ${insight.id}`
  return write(sql, insight.id, fields)
}

async function write(sql: Db, id: number, { filters, query, tags, ...plain }: InsightFields): Promise<SavedInsight> {
  const changes = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined))
  const json = (value: Json | undefined) => (value === undefined || value === null ? null : stringifyJson(value))
  if (Object.keys(changes).length > 0)
    await sql`UPDATE insights SET ${sql(changes as Record<string, string>)} WHERE id = ${id}`
  const [written] = await sql<SavedInsight[]>`
    UPDATE insights SET
      filters = ${filters === undefined ? sql`filters` : sql`coalesce(${json(filters)}::text::json, '{}')`},
      query = ${query === undefined ? sql`query` : sql`${json(query)}::text::json`},
      tags = ${tags === undefined ? sql`tags` : sql`${[...tags]}::text[]`}
    WHERE id = ${id} RETURNING *`
  return written as SavedInsight
}
