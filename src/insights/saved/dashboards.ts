/** Dashboards and what they show. */
import type { Sql, TransactionSql } from '../../engines/postgres/index.ts'
import { type Json, stringifyJson } from '../../lib/json.ts'
import type { SavedInsight } from './insight.ts'

export interface Dashboard {
  readonly id: number
  readonly project_id: number
  readonly name: string | null
  readonly description: string
  readonly pinned: boolean
  readonly filters: Json
  readonly tags: readonly string[]
  readonly deleted: boolean
  readonly created_at: Date
  readonly created_by: number | null
  readonly imported_from: string | null
}

export interface Tile {
  readonly id: number
  readonly dashboard_id: number
  readonly insight_id: number | null
  readonly body: string | null
  readonly layouts: Json
  readonly color: string | null
  readonly deleted: boolean
}

interface DashboardFields {
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  readonly pinned?: boolean | undefined
  readonly filters?: Json | undefined
  readonly tags?: readonly string[] | undefined
  readonly deleted?: boolean | undefined
}

interface TileFields {
  readonly id?: number | undefined
  readonly layouts?: Json | undefined
  readonly color?: string | null | undefined
  readonly deleted?: boolean | undefined
  readonly text?: { readonly body: string } | null | undefined
}

type Db = Sql | TransactionSql

export async function createDashboard(
  sql: Db,
  project: number,
  userId: number,
  fields: DashboardFields,
): Promise<Dashboard> {
  const [created] = await sql<{ id: number }[]>`
    INSERT INTO dashboards (project_id, created_by) VALUES (${project}, ${userId}) RETURNING id`
  return updateDashboard(sql, (created as { id: number }).id, fields)
}

export async function updateDashboard(
  sql: Db,
  id: number,
  { filters, tags, description, ...plain }: DashboardFields,
): Promise<Dashboard> {
  const about = description === undefined ? {} : { description: description ?? '' }
  const changes = Object.fromEntries(Object.entries({ ...plain, ...about }).filter(([, value]) => value !== undefined))
  if (Object.keys(changes).length > 0)
    await sql`UPDATE dashboards SET ${sql(changes as Record<string, string>)} WHERE id = ${id}`
  const [written] = await sql<Dashboard[]>`
    UPDATE dashboards SET
      filters = ${filters === undefined ? sql`filters` : sql`${stringifyJson(filters ?? {})}::text::json`},
      tags = ${tags === undefined ? sql`tags` : sql`${[...tags]}::text[]`}
    WHERE id = ${id} RETURNING *`
  return written as Dashboard
}

export async function findDashboard(
  sql: Db,
  project: number,
  id: string,
  { deletedToo = false } = {},
): Promise<Dashboard | undefined> {
  if (!/^\d{1,9}$/.test(id)) return undefined
  const [found] = await sql<Dashboard[]>`
    SELECT * FROM dashboards WHERE project_id = ${project} AND id = ${Number(id)} AND (${deletedToo} OR NOT deleted)`
  return found
}

export async function listDashboards(
  sql: Sql,
  project: number,
  {
    search,
    pinned,
    limit,
    offset,
  }: { search?: string | undefined; pinned?: boolean | undefined; limit: number; offset: number },
): Promise<{ count: number; dashboards: Dashboard[] }> {
  const pattern = `%${(search ?? '').replace(/[\\%_]/g, '\\$&')}%`
  const where = sql`project_id = ${project} AND NOT deleted
    ${search === undefined ? sql`` : sql`AND (name ILIKE ${pattern} OR description ILIKE ${pattern})`}
    ${pinned === undefined ? sql`` : sql`AND pinned = ${pinned}`}`
  const dashboards = await sql<Dashboard[]>`
    SELECT * FROM dashboards WHERE ${where} ORDER BY pinned DESC, lower(name), id LIMIT ${limit} OFFSET ${offset}`
  const [total] = await sql<{ count: number }[]>`SELECT count(*) AS count FROM dashboards WHERE ${where}`
  return { count: total?.count ?? 0, dashboards }
}

/** The tiles of a dashboard whose insight is still there. */
export const tilesOf = (sql: Db, dashboard: number): Promise<Tile[]> => sql<Tile[]>`
  SELECT t.* FROM dashboard_tiles t LEFT JOIN insights i ON i.id = t.insight_id
  WHERE t.dashboard_id = ${dashboard} AND NOT t.deleted AND (t.insight_id IS NULL OR NOT i.deleted) ORDER BY t.id`

export const insightsById = (sql: Db, ids: readonly number[]): Promise<SavedInsight[]> =>
  sql<SavedInsight[]>`SELECT * FROM insights WHERE id = ANY(${[...ids]}::int[])`

/** Where insights are shown: the tiles on dashboards that are still there, by insight. */
export async function tilesOfInsights(sql: Db, insights: readonly number[]): Promise<Map<number, Tile[]>> {
  const tiles = await sql<Tile[]>`
    SELECT t.* FROM dashboard_tiles t JOIN dashboards d ON d.id = t.dashboard_id
    WHERE t.insight_id = ANY(${[...insights]}::int[]) AND NOT t.deleted AND NOT d.deleted ORDER BY t.dashboard_id`
  const byInsight = new Map<number, Tile[]>()
  for (const tile of tiles) {
    const id = tile.insight_id as number
    byInsight.set(id, [...(byInsight.get(id) ?? []), tile])
  }
  return byInsight
}

/** Shows an insight on exactly these dashboards; answers those that are none of the project. */
export async function placeInsight(
  sql: Db,
  project: number,
  insight: number,
  dashboards: readonly number[],
): Promise<number[]> {
  const wanted = [...new Set(dashboards)]
  const found = await sql<{ id: number }[]>`
    SELECT id FROM dashboards WHERE project_id = ${project} AND id = ANY(${wanted}::int[]) AND NOT deleted`
  const known = new Set(found.map(({ id }) => id))
  const unknown = wanted.filter((id) => !known.has(id))
  if (unknown.length > 0) return unknown
  await sql`
    UPDATE dashboard_tiles SET deleted = true WHERE insight_id = ${insight} AND NOT (dashboard_id = ANY(${wanted}::int[]))`
  await sql`
    INSERT INTO dashboard_tiles (dashboard_id, insight_id) SELECT id, ${insight} FROM unnest(${wanted}::int[]) AS id
    ON CONFLICT (dashboard_id, insight_id) DO UPDATE SET deleted = false`
  return []
}

/** The dashboard that was imported from there, also when somebody deleted it since. */
export async function importedDashboard(sql: Db, project: number, from: string): Promise<Dashboard | undefined> {
  const [found] = await sql<Dashboard[]>`
    SELECT * FROM dashboards WHERE project_id = ${project} AND imported_from = ${from}`
  return found
}

export const noteImported = (sql: Db, dashboard: number, from: string): Promise<unknown> =>
  sql`UPDATE dashboards SET imported_from = ${from} WHERE id = ${dashboard}`

/** An insight on one more dashboard; where it is shown already, it stays as it is. */
export async function addTile(
  sql: Db,
  dashboard: number,
  insight: number,
  { layouts, color }: Pick<TileFields, 'layouts' | 'color'>,
): Promise<void> {
  await sql`
    INSERT INTO dashboard_tiles (dashboard_id, insight_id, layouts, color)
    VALUES (${dashboard}, ${insight}, ${stringifyJson(layouts ?? {})}::text::json, ${color ?? null})
    ON CONFLICT (dashboard_id, insight_id) DO NOTHING`
}

/** Moves, colours, takes away and brings back tiles, and adds texts; a tile of another dashboard is not touched. */
export async function changeTiles(sql: Db, dashboard: number, tiles: readonly TileFields[]): Promise<void> {
  for (const { id, layouts, color, deleted, text } of tiles) {
    const layout = stringifyJson(layouts ?? {})
    if (id === undefined) {
      if (text)
        await sql`
        INSERT INTO dashboard_tiles (dashboard_id, body, layouts, color)
        VALUES (${dashboard}, ${text.body}, ${layout}::text::json, ${color ?? null})`
      continue
    }
    await sql`
      UPDATE dashboard_tiles SET
        layouts = ${layouts === undefined ? sql`layouts` : sql`${layout}::text::json`},
        color = ${color === undefined ? sql`color` : sql`${color}`},
        body = ${text ? sql`CASE WHEN body IS NULL THEN NULL ELSE ${text.body} END` : sql`body`},
        deleted = ${deleted === undefined ? sql`deleted` : sql`${deleted}`}
      WHERE id = ${id} AND dashboard_id = ${dashboard}`
  }
}
