import {
  type ClickHouse,
  sql as ch,
  ident,
  type MutationWatch,
  mutate,
  strings,
  TABLES,
  uint,
} from '../engines/clickhouse/index.ts'
import type { Sql } from '../engines/postgres/index.ts'

/** These say that the project was deleted. */
const KEPT = ['deleted_projects', 'retired_project_tokens']
/** Tables that have data of projects without referring to them. */
const LOOSE = ['dead_letters', 'deferred_person_updates', 'persons', 'person_distinct_ids']
const MOST_PASSES = 10

/**
 * Erases what deleted projects have left, in both engines. Events that were in the log when the project was deleted may
 * arrive afterwards: for a month it is looked for them once a day. Whatever was done halfway is simply done again.
 */
export async function eraseDeletedProjects({
  sql,
  clickhouse,
  watch,
}: {
  readonly sql: Sql
  readonly clickhouse: ClickHouse
  readonly watch?: MutationWatch
}): Promise<number[]> {
  const due = await sql<{ project: number }[]>`
    SELECT project_id AS project FROM deleted_projects
    WHERE erased_at IS NULL OR (erased_at < now() - interval '1 day' AND deleted_at > now() - interval '30 days')
    ORDER BY project_id`
  for (const { project } of due) {
    await eraseEvents(clickhouse, project, watch)
    await eraseRows(sql, project)
    await sql`UPDATE deleted_projects SET erased_at = now() WHERE project_id = ${project}`
  }
  return due.map(({ project }) => project)
}

async function eraseEvents(clickhouse: ClickHouse, project: number, watch?: MutationWatch): Promise<void> {
  const { rows } = await clickhouse.query<{ table: string }>(ch`
    SELECT table FROM system.columns
    WHERE database = currentDatabase() AND name = 'project_id' AND table IN ${strings(TABLES)} ORDER BY table`)
  for (const { table } of rows) {
    const where = ch`project_id = ${uint(project)}`
    const found = await clickhouse.query(ch`SELECT 1 FROM ${ident(table)} WHERE ${where} LIMIT 1`)
    if (found.rows.length > 0) await mutate(clickhouse, { table, change: ch`DELETE`, where }, watch)
  }
}

/** Of every table that refers to projects. One that others refer to is tried again after them. */
async function eraseRows(sql: Sql, project: number): Promise<void> {
  const found = await sql<{ name: string; column: string }[]>`
    SELECT t.relname::text AS name, a.attname::text AS column
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
      JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND k.confrelid = 'projects'::regclass AND t.relname::text <> ALL(${KEPT}::text[])`
  let left = [...found, ...LOOSE.map((name) => ({ name, column: 'project_id' }))]
  for (let pass = 1; left.length > 0; pass++) {
    const refused: typeof left = []
    for (const table of left) {
      try {
        await sql`DELETE FROM ${sql(table.name)} WHERE ${sql(table.column)} = ${project}`
      } catch (error) {
        if (!isReferenced(error) || pass === MOST_PASSES) throw error
        refused.push(table)
      }
    }
    left = refused
  }
}

const isReferenced = (error: unknown): boolean => (error as { code?: unknown }).code === '23503'
