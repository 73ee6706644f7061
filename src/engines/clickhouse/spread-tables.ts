import type { ClickHouse } from './client.ts'
import { Fragment, sql } from './sql.ts'

/**
 * Makes the tables on servers that were added to a cluster, as they are on the server we are connected to. Migrations
 * would not do: a replica must be created with the columns that its table has by now.
 */
export async function spreadTables(clickhouse: ClickHouse, cluster: string): Promise<string[]> {
  await clickhouse.createDatabase()
  const { rows } = await clickhouse.query<Definition>(sql`
    SELECT name, create_table_query AS statement FROM system.tables
    WHERE database = currentDatabase() AND (engine LIKE '%MergeTree' OR engine = 'Distributed')
    ORDER BY engine = 'Distributed', name`)
  for (const { name, statement } of rows)
    await clickhouse.command(new Fragment([onEveryServer(statement, name, cluster)], []), { asWritten: true })
  return rows.map(({ name }) => name)
}

interface Definition {
  readonly name: string
  readonly statement: string
}

const CREATED = /^CREATE TABLE (\S+) /

export function onEveryServer(statement: string, name: string, cluster: string): string {
  const [head, table] = CREATED.exec(statement) ?? []
  if (head === undefined || table === undefined)
    throw new Error(`the definition of ${name} cannot be read: ${statement.slice(0, 80)}`)
  return `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER '${cluster}' ${statement.slice(head.length)}`
}
