import { type ClickHouse, type ClickHouseServer, openClickHouse } from '../engines/clickhouse/index.ts'
import { openPostgres, type PostgresServer, type Sql } from '../engines/postgres/index.ts'
import { createLogger } from '../lib/logger.ts'
import { askService } from './admin-client.ts'

export interface Project {
  readonly id: number
  readonly name: string
  readonly api_token: string
}

interface Connections {
  readonly project: Project
  readonly postgres: PostgresServer
  readonly clickhouse: ClickHouseServer
}

/**
 * For commands that read a lot: they connect to the engines directly, so that the data does not go through the service.
 */
export async function withEngines<T>(
  to: 'export' | 'import',
  { data, project }: { readonly data: string | undefined; readonly project: number | undefined },
  work: (engines: { readonly project: Project; readonly sql: Sql; readonly clickhouse: ClickHouse }) => Promise<T>,
): Promise<T> {
  const where = `/connections?for=${to}${project === undefined ? '' : `&project=${project}`}`
  const found = await askService<Connections>('GET', where, { data })
  const log = createLogger('warn')
  const sql = await openPostgres(found.postgres, { log, max: 2 })
  const clickhouse = openClickHouse({ ...found.clickhouse, log })
  try {
    return await work({ project: found.project, sql, clickhouse })
  } finally {
    await clickhouse.close()
    await sql.end({ timeout: 1 })
  }
}
