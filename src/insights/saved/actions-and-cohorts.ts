/** Actions and cohorts as people keep them: the same life for both. */
import { isBehind, type Place, pageOf, type Sql, type TransactionSql } from '../../engines/postgres/index.ts'
import { type Json, stringifyJson } from '../../lib/json.ts'

interface Kept {
  readonly id: number
  readonly project_id: number
  readonly name: string | null
  readonly description: string
  readonly deleted: boolean
  readonly created_at: Date
  readonly created_by: number | null
}

export interface SavedAction extends Kept {
  readonly tags: readonly string[]
  readonly steps: Json
  readonly pinned_at: Date | null
}

export interface SavedCohort extends Kept {
  readonly groups: Json
  readonly filters: Json
  /** What a static cohort was made of, if it was a question. */
  readonly query: Json
  readonly is_static: boolean
  /** As last counted. */
  readonly count: number | null
  readonly last_calculation: Date | null
}

type Db = Sql | TransactionSql
type Fields<T> = { readonly [K in keyof Omit<T, 'id' | 'project_id' | 'created_at' | 'created_by'>]?: T[K] | undefined }

const JSON_COLUMNS: ReadonlySet<string> = new Set(['steps', 'groups', 'filters', 'query'])

function keptIn<T extends Kept>(table: 'actions' | 'cohorts') {
  const find = async (sql: Db, project: number, id: string, { deletedToo = false } = {}): Promise<T | undefined> => {
    if (!/^\d{1,9}$/.test(id)) return undefined
    const [found] = await sql<T[]>`
      SELECT * FROM ${sql(table)} WHERE project_id = ${project} AND id = ${Number(id)} AND (${deletedToo} OR NOT deleted)`
    return found as T | undefined
  }
  /** A new version: answers that were made of the old one are old. */
  const update = async (sql: Db, id: number, fields: Fields<T>): Promise<T> => {
    const changes = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => sql`, ${sql(name)} = ${columnValue(sql, name, value)}`)
    const [written] = await sql<T[]>`
      UPDATE ${sql(table)} SET version = nextval('named_definition_versions') ${changes.length > 0 ? changes : sql``}
      WHERE id = ${id} RETURNING *`
    return written as T
  }
  return {
    find,
    update,
    create: async (sql: Db, project: number, userId: number, fields: Fields<T>): Promise<T> => {
      const [created] = await sql<{ id: number }[]>`
        INSERT INTO ${sql(table)} (project_id, created_by) VALUES (${project}, ${userId}) RETURNING id`
      return update(sql, (created as { id: number }).id, fields)
    },
    list: async (
      sql: Sql,
      project: number,
      { search, limit, offset }: { search?: string | undefined; limit: number; offset: number },
      behind?: Place,
    ): Promise<{ count: number; results: readonly T[]; end: Place | null; hasMore: boolean }> => {
      const pattern = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`
      const where = sql`project_id = ${project} AND NOT deleted
        ${search === undefined ? sql`` : sql`AND (name ILIKE ${pattern} OR description ILIKE ${pattern})`}`
      const order = { column: sql`created_at`, type: 'timestamptz', id: sql`id`, descending: true } as const
      const found = await sql<(T & { readonly place: string })[]>`
        SELECT *, created_at::text AS place FROM ${sql(table)}
        WHERE ${where} ${behind ? sql`AND ${isBehind(sql, order, behind)}` : sql``}
        ORDER BY created_at DESC, id DESC LIMIT ${limit + 1} OFFSET ${behind ? 0 : offset}`
      const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM ${sql(table)} WHERE ${where}`
      const rows = [...found] as (T & { readonly place: string })[]
      const { rows: results, ...page } = pageOf(rows, limit, ({ place, id }) => [place, String(id)])
      return { count: total?.count ?? 0, results, ...page }
    },
  }
}

function columnValue(sql: Db, name: string, value: unknown) {
  if (JSON_COLUMNS.has(name)) return value === null ? sql`NULL` : sql`${stringifyJson(value)}::text::json`
  if (name === 'tags') return sql`${[...(value as string[])]}::text[]`
  return sql`${value as string}`
}

export const savedActions = keptIn<SavedAction>('actions')
export const savedCohorts = keptIn<SavedCohort>('cohorts')

/** How many there are changes nothing about who is meant: no new version. */
export async function noteCount(sql: Db, cohort: SavedCohort, count: number, at: Date): Promise<SavedCohort> {
  await sql`UPDATE cohorts SET count = ${count}, last_calculation = ${at} WHERE id = ${cohort.id}`
  return { ...cohort, count, last_calculation: at }
}
