/** What happened on a day, as people and deployments write it on charts. */
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'

export interface Annotation {
  readonly id: number
  readonly project_id: number
  readonly content: string | null
  readonly date_marker: Date | null
  readonly creation_type: 'USR' | 'GIT'
  readonly scope: 'dashboard_item' | 'dashboard' | 'project' | 'organization'
  readonly insight_id: number | null
  readonly dashboard_id: number | null
  readonly emoji: string | null
  readonly hidden_in_user_interface: boolean | null
  readonly deleted: boolean
  readonly created_at: Date
  readonly updated_at: Date
  readonly created_by: number | null
  /** What it stands on. */
  readonly dashboard_name: string | null
  readonly insight_short_id: string | null
  readonly insight_name: string | null
  readonly insight_derived_name: string | null
}

type Kept =
  | 'content'
  | 'date_marker'
  | 'creation_type'
  | 'scope'
  | 'insight_id'
  | 'dashboard_id'
  | 'emoji'
  | 'hidden_in_user_interface'
  | 'deleted'
export type AnnotationValues = { readonly [K in Kept]?: Annotation[K] | undefined }

export interface AnnotationFilters {
  readonly search?: string | undefined
  readonly scope?: Annotation['scope'] | undefined
  /** Milliseconds since the epoch, both included. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly emoji?: boolean | undefined
  readonly hidden?: boolean | undefined
  readonly insight?: number | undefined
}

type Db = Sql | TransactionSql
interface Place {
  readonly id: number
  readonly organization_id: string
}

/** Those that stand on something deleted are hidden with it. */
const readable = (sql: Db) => sql`
  FROM annotations AS a
  LEFT JOIN insights AS i ON i.id = a.insight_id
  LEFT JOIN dashboards AS d ON d.id = a.dashboard_id`
const columns = (sql: Db) => sql`
  a.*, d.name AS dashboard_name, i.short_id AS insight_short_id, i.name AS insight_name,
  i.derived_name AS insight_derived_name`

/** Of the project, and those that another project of the organisation wrote for all of them. */
const visibleIn = (sql: Db, { id, organization_id }: Place) => sql`
  (a.project_id = ${id} OR (a.scope = 'organization' AND a.project_id IN (
    SELECT p.id FROM projects AS p WHERE p.organization_id = ${organization_id})))`

export async function listAnnotations(
  sql: Sql,
  project: Place,
  { search, scope, from, to, emoji, hidden, insight }: AnnotationFilters,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ count: number; results: readonly Annotation[]; hasMore: boolean }> {
  const pattern = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`
  const where = sql`
    ${visibleIn(sql, project)} AND NOT a.deleted
    AND (a.scope <> 'dashboard_item' OR NOT coalesce(i.deleted, false))
    AND (a.scope <> 'dashboard' OR NOT coalesce(d.deleted, false))
    ${search === undefined ? sql`` : sql`AND a.content ILIKE ${pattern}`}
    ${scope === undefined ? sql`` : sql`AND a.scope = ${scope}`}
    ${from === undefined ? sql`` : sql`AND a.date_marker >= ${new Date(from)}`}
    ${to === undefined ? sql`` : sql`AND a.date_marker <= ${new Date(to)}`}
    ${emoji === undefined ? sql`` : emoji ? sql`AND a.emoji IS NOT NULL` : sql`AND a.emoji IS NULL`}
    ${hidden === undefined ? sql`` : sql`AND coalesce(a.hidden_in_user_interface, false) = ${hidden}`}
    ${insight === undefined ? sql`` : sql`AND a.insight_id = ${insight}`}`
  const found = await sql<Annotation[]>`
    SELECT ${columns(sql)} ${readable(sql)} WHERE ${where}
    ORDER BY a.date_marker DESC NULLS LAST, a.id DESC LIMIT ${limit + 1} OFFSET ${offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count ${readable(sql)} WHERE ${where}`
  return { count: total?.count ?? 0, results: found.slice(0, limit), hasMore: found.length > limit }
}

/** `own`: only where it was written, for changes. */
export async function findAnnotation(
  sql: Db,
  project: Place,
  id: string,
  { deletedToo = false, own = false } = {},
): Promise<Annotation | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined
  const [found] = await sql<Annotation[]>`
    SELECT ${columns(sql)} ${readable(sql)}
    WHERE a.id = ${Number(id)} AND (${deletedToo} OR NOT a.deleted)
      AND ${own ? sql`a.project_id = ${project.id}` : visibleIn(sql, project)}`
  return found as Annotation | undefined
}

export async function createAnnotation(
  sql: Db,
  project: Place,
  userId: number,
  values: AnnotationValues,
): Promise<Annotation> {
  const [created] = await sql<{ id: number }[]>`
    INSERT INTO annotations (project_id, created_by) VALUES (${project.id}, ${userId}) RETURNING id`
  return updateAnnotation(sql, project, (created as { id: number }).id, values)
}

export async function updateAnnotation(
  sql: Db,
  project: Place,
  id: number,
  values: AnnotationValues,
): Promise<Annotation> {
  const changes = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql`, ${sql(name)} = ${value as string}`)
  await sql`UPDATE annotations SET updated_at = now() ${changes.length > 0 ? changes : sql``} WHERE id = ${id}`
  return (await findAnnotation(sql, project, String(id), { deletedToo: true })) as Annotation
}
