import path from 'node:path'
import { type ClickHouse, sql as ch, ident, str } from '../engines/clickhouse/index.ts'
import { copyIn, type Sql, type TransactionSql } from '../engines/postgres/index.ts'
import { copyIdentities } from '../identity/index.ts'
import type { LogWriter } from '../log/index.ts'
import { appliedMigrations, isEmpty } from './clickhouse-tables.ts'
import { appendRecords, unframed } from './log-records.ts'
import type { Manifest } from './manifest.ts'
import { readPacked } from './packed-file.ts'
import { tablesOf } from './postgres-tables.ts'

/** Loads a backup into empty engines that have exactly the migrations of the backup. */
interface LoadOptions {
  readonly folder: string
  readonly manifest: Manifest
  readonly onProgress?: (what: string) => void
}

/** In one transaction: everything or nothing. */
export async function loadPostgres(sql: Sql, { folder, manifest, onProgress }: LoadOptions): Promise<void> {
  const { tables, sequences } = manifest.postgres
  await sql.begin(async (tx) => {
    for (const table of tables) {
      onProgress?.(table.name)
      await loadTable(tx, table, path.join(folder, table.file))
    }
    for (const { name, value } of sequences) await tx`SELECT setval(quote_ident(${name})::regclass, ${value})`
  })
}

async function loadTable(
  tx: TransactionSql,
  { name, columns, rows }: Manifest['postgres']['tables'][number],
  file: string,
): Promise<void> {
  await copyIn(tx, name, columns, readPacked(file))
  const [found] = await tx<[{ rows: number }]>`SELECT count(*) AS rows FROM ${tx(name)}`
  if (found.rows !== rows) throw new Error(`${name} has ${found.rows} rows after loading, and ${rows} were saved.`)
}

export async function loadClickHouse(
  clickhouse: ClickHouse,
  { folder, manifest, onProgress }: LoadOptions,
): Promise<void> {
  for (const { name, pieces } of manifest.clickhouse.tables) {
    for (const { partition, file } of pieces) {
      onProgress?.(`${name} ${partition}`)
      await clickhouse.insertNative(name, readPacked(path.join(folder, file)))
    }
    await compareRows(clickhouse, name, pieces)
  }
}

/** A table that aggregates rows while merging, or drops expired ones, may have fewer rows by now. */
async function compareRows(clickhouse: ClickHouse, name: string, pieces: readonly { rows: number }[]): Promise<void> {
  const saved = pieces.reduce((sum, { rows }) => sum + rows, 0)
  const { rows } = await clickhouse.query<{ n: number; sums: number }>(ch`
    SELECT count() AS n, (SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = ${str(name)}
      AND (engine != 'MergeTree' OR create_table_query LIKE '% TTL %')) AS sums FROM ${ident(name)}`)
  const [found] = rows
  if (!found || found.n > saved || (found.n < saved && found.sums === 0))
    throw new Error(`${name} has ${found?.n} rows after loading, and ${saved} were saved.`)
}

/** Makes ClickHouse's copies of tables in Postgres. */
export async function loadCopies(sql: Sql, clickhouse: ClickHouse, { onProgress }: LoadOptions): Promise<void> {
  await copyIdentities(sql, clickhouse, (table) => onProgress?.(`${table} of ClickHouse`))
}

export async function loadLog(writer: LogWriter, { folder, manifest, onProgress }: LoadOptions): Promise<void> {
  for (const { partition, records, file } of manifest.log) {
    if (file === null) continue
    onProgress?.(`log ${partition}`)
    const appended = await appendRecords(writer, partition, unframed(readPacked(path.join(folder, file))))
    if (appended !== records)
      throw new Error(`The log of ${partition} has ${appended} records, and ${records} were saved.`)
  }
}

/** The positions above which the log must continue. */
export const positionsIn = ({ log }: Manifest): Record<string, number> =>
  Object.fromEntries(log.map(({ partition, position }) => [partition, position]))

/** Whether this version has every migration of the backup. */
export async function knowsMigrations(
  sql: Sql,
  clickhouse: ClickHouse,
  { postgres, clickhouse: saved }: Manifest,
): Promise<boolean> {
  const rows = await sql<{ number: number }[]>`SELECT number FROM schema_migrations`
  const [ours, theirs] = [rows.map(({ number }) => number), await appliedMigrations(clickhouse)]
  return (
    postgres.migrations.every((number) => ours.includes(number)) &&
    saved.migrations.every((number) => theirs.includes(number))
  )
}

/** Whether all tables are empty. */
export async function enginesAreEmpty(sql: Sql, clickhouse: ClickHouse): Promise<boolean> {
  for (const { name } of await tablesOf(sql))
    if ((await sql`SELECT 1 FROM ${sql(name)} LIMIT 1`).length > 0) return false
  return isEmpty(clickhouse)
}
