import { type ClickHouse, sql, str } from '../engines/clickhouse/index.ts'
import { appliedMigrations, cloneOf } from './clickhouse-tables.ts'
import type { Manifest } from './manifest.ts'
import type { WriteFile } from './packed-file.ts'

/** No time limit, because the disk may be slow; one thread, because queries need the others. */
const UNHURRIED = { maxSeconds: 0, settings: { max_threads: 1 } }

/** Writes every table from its clone, one file for each partition, in ClickHouse's native format. */
export async function dumpClickHouse(
  clickhouse: ClickHouse,
  tables: readonly string[],
  write: WriteFile,
): Promise<Manifest['clickhouse']> {
  const dumped: Manifest['clickhouse']['tables'] = []
  for (const name of tables) {
    const { rows: pieces } = await clickhouse.query<{ partition: string; rows: number }>(
      sql`SELECT _partition_id AS partition, count() AS rows FROM ${cloneOf(name)} GROUP BY partition ORDER BY partition`,
      UNHURRIED,
    )
    const written = []
    for (const { partition, rows } of pieces) {
      const all = sql`SELECT * FROM ${cloneOf(name)} WHERE _partition_id = ${str(partition)}`
      const file = await write(`clickhouse/${name}/${partition}.native.gz`, clickhouse.native(all, UNHURRIED))
      written.push({ partition, rows, file })
    }
    dumped.push({ name, pieces: written })
  }
  const { rows } = await clickhouse.query<{ version: string }>(sql`SELECT version() AS version`)
  return { server: rows[0]?.version ?? '', migrations: await appliedMigrations(clickhouse), tables: dumped }
}
