import { readdir, readFile } from 'node:fs/promises'
import type { Logger } from '../../lib/logger.ts'
import type { ClickHouse } from './client.ts'
import { splitStatements } from './split-statements.ts'
import { sql, str, uint } from './sql.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
const NUMBERED = /^(\d{3})_[a-z0-9_]+\.sql$/

/**
 * Applies every numbered file of migrations/ that has not been applied yet, in order. ClickHouse has no transactions
 * over several statements, so an interrupted file is run again from its start, and its statements must allow that (IF
 * NOT EXISTS). The caller makes sure that two processes never do this at once. `only`: applies just these, for a
 * restore.
 */
export async function applyClickHouseMigrations(
  clickhouse: ClickHouse,
  log: Logger,
  only?: readonly number[],
): Promise<void> {
  await clickhouse.createDatabase()
  await clickhouse.command(sql`
    CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, file String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
    ENGINE = MergeTree ORDER BY number`)
  const { rows } = await clickhouse.query<{ number: number }>(sql`SELECT DISTINCT number FROM schema_migrations`)
  const applied = new Set(rows.map((row) => row.number))
  const files = (await readdir(FOLDER)).filter((name) => NUMBERED.test(name)).sort()
  for (const file of files) {
    const number = Number(NUMBERED.exec(file)?.[1])
    if (applied.has(number) || only?.includes(number) === false) continue
    const statements = splitStatements(await readFile(new URL(file, FOLDER), 'utf8'))
    for (const statement of statements) await clickhouse.command(statement)
    await clickhouse.command(sql`INSERT INTO schema_migrations (number, file) SELECT ${uint(number)}, ${str(file)}`)
    log.info({ file }, 'clickhouse migration applied')
  }
}
