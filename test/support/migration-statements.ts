import { readdir, readFile } from 'node:fs/promises'
import { splitStatements } from '../../src/engines/clickhouse/split-statements.ts'

const MIGRATIONS = new URL('../../src/engines/clickhouse/migrations/', import.meta.url)

/** Every statement of ClickHouse's migrations, in their order. */
export async function migrationStatements(): Promise<string[]> {
  const files = (await readdir(MIGRATIONS)).sort()
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, MIGRATIONS), 'utf8')))
  return texts.flatMap(splitStatements)
}
