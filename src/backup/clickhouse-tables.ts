import { type ClickHouse, type Fragment, ident, sql, str } from '../engines/clickhouse/index.ts'

/** Copies of tables in Postgres. A restore makes them again from there, so that both engines agree. */
const COPIES = ['persons', 'person_overrides', 'groups', 'cohort_people']
const CLONE = 'backup_'

/** Every table that is not a copy. */
export const tablesOf = async (clickhouse: ClickHouse): Promise<string[]> =>
  (await allTables(clickhouse)).filter((name) => !COPIES.includes(name))

/** Whether nothing was ever stored, copies included. */
export async function isEmpty(clickhouse: ClickHouse): Promise<boolean> {
  for (const table of await allTables(clickhouse)) {
    const { rows } = await clickhouse.query<{ n: number }>(sql`SELECT count() AS n FROM ${ident(table)}`)
    if (rows[0]?.n !== 0) return false
  }
  return true
}

async function allTables(clickhouse: ClickHouse): Promise<string[]> {
  const { rows } = await clickhouse.query<{ name: string }>(sql`
    SELECT name FROM system.tables
    WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != 'schema_migrations'
      AND NOT startsWith(name, ${str(CLONE)}) ORDER BY name`)
  return rows.map(({ name }) => name)
}

/** The table as it was at one moment. */
export const cloneOf = (table: string): Fragment => ident(`${CLONE}${table}`)

/**
 * A clone shares the files of its table: it is made at once, and takes space only for parts that the table rewrites
 * later.
 */
export async function makeClones(clickhouse: ClickHouse, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await clickhouse.command(sql`CREATE TABLE ${cloneOf(table)} CLONE AS ${ident(table)}`)
    // Merging a clone would be useless work. Without the privilege for this statement it merges, which does no harm.
    await clickhouse.command(sql`SYSTEM STOP MERGES ${cloneOf(table)}`).catch(() => {})
  }
}

export async function dropClones(clickhouse: ClickHouse): Promise<void> {
  const { rows } = await clickhouse.query<{ name: string }>(
    sql`SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, ${str(CLONE)})`,
  )
  for (const { name } of rows) await clickhouse.command(sql`DROP TABLE IF EXISTS ${ident(name)} SYNC`)
}

export async function appliedMigrations(clickhouse: ClickHouse): Promise<number[]> {
  const { rows } = await clickhouse.query<{ number: number }>(
    sql`SELECT DISTINCT number FROM schema_migrations ORDER BY number`,
  )
  return rows.map(({ number }) => number)
}
