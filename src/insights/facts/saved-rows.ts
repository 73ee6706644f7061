/** What a project has saved, as rows of the tables that SQL can read. */
import type { Sql } from '../../engines/postgres/index.ts'
import type { SavedTable } from '../hogql/system-tables.ts'
import type { SystemRows } from '../hogql/view.ts'

/** Newest first. */
const MOST_ROWS = 5_000

type Rows = Promise<readonly Readonly<Record<string, unknown>>[]>

const READ: Readonly<Record<SavedTable, (sql: Sql, project: number) => Rows>> = {
  'system.actions': async (sql, project) =>
    sql`SELECT id, name, description, created_at, deleted, steps AS steps_json
      FROM actions WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  'system.cohorts': async (sql, project) =>
    sql`SELECT id, name, description, created_at, deleted, filters, is_static, count
      FROM cohorts WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  'system.dashboards': async (sql, project) =>
    sql`SELECT id, name, description, created_at, deleted, pinned
      FROM dashboards WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  'system.insights': async (sql, project) =>
    sql`SELECT id, coalesce(name, derived_name) AS name, description, created_at, deleted, short_id, query, favorited, saved
      FROM insights WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  // What a flag gives to programs may be a secret.
  'system.feature_flags': async (sql, project) =>
    sql`SELECT id, key, name, name AS description, created_at, deleted, active, filters - 'payloads' AS filters
      FROM feature_flags WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  'system.experiments': async (sql, project) =>
    sql`SELECT id, name, description, created_at, deleted, type, start_date, end_date, archived, feature_flag_id
      FROM experiments WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  'system.annotations': async (sql, project) =>
    sql`SELECT id, content, scope, date_marker, created_at, deleted
      FROM annotations WHERE project_id = ${project} ORDER BY id DESC LIMIT ${MOST_ROWS}`,
  'system.group_type_mappings': async (sql, project) =>
    sql`SELECT group_type, group_type_index, name_singular, name_plural
      FROM group_types WHERE project_id = ${project} ORDER BY group_type_index`,
}

export async function savedRows(sql: Sql, project: number, tables: readonly SavedTable[]): Promise<SystemRows> {
  const rows = await Promise.all(tables.map(async (table) => [table, await READ[table](sql, project)] as const))
  return Object.fromEntries(rows)
}
