import { type ClickHouse, sql, str } from '../engines/clickhouse/index.ts'
import { appliedMigrations, cloneOf } from './clickhouse-tables.ts'
import type { Manifest } from './manifest.ts'
import type { WriteFile } from './packed-file.ts'

/** Slow readers are no reason to give up; one thread leaves the others to those who ask questions. */
const UNHURRIED = { maxSeconds: 0, settings: { max_threads: 1 } }

/** Every table from its clone, a file for each of its partitions, in the engine's own binary form. */
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
