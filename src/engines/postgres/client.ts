import postgres from 'postgres'
import { parseJson, stringifyJson } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import type { PostgresConnection } from './embedded.ts'

/** A pool of connections; a tagged template on it is a statement with bound parameters. */
export type Sql = postgres.Sql<{ bigint: number }>
/** The same inside a transaction. */
export type TransactionSql = postgres.TransactionSql<{ bigint: number }>

/** Where a PostgreSQL server is: the address of one, or the embedded one's socket. */
export type PostgresServer = { readonly url: string } | PostgresConnection

export interface PoolOptions {
  readonly log: Logger
  /** At most so many connections; at least two, because the migration lock keeps one. */
  readonly max?: number
}

const OLDEST_MAJOR = 15

/** Ids and counts, which stay far below 2^53: numbers. Dates are `Date`s and timestamps UTC; JSON keeps the digits of huge integers. */
const TYPES = {
  bigint: {
    to: 20,
    from: [20],
    serialize: (value: number | bigint) => String(value),
    parse: (text: string) => Number(text),
  },
  json: { to: 114, from: [114, 3802], serialize: stringifyJson, parse: parseJson },
}

/** Opens a pool on a server and makes sure that it is one we can work with. Connections are made when needed and closed when idle. */
export async function openPostgres(server: PostgresServer, { log, max = 10 }: PoolOptions): Promise<Sql> {
  const options = {
    max: Math.max(2, max),
    idle_timeout: 30,
    connect_timeout: 10,
    // Seconds between attempts. The library's own pause grows to 20 s, but a restarted embedded server is back in well under one.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1) * (0.5 + Math.random() / 2),
    types: TYPES,
    connection: { application_name: 'footfall', TimeZone: 'UTC' },
    onnotice: (notice: postgres.Notice) => log.debug({ notice: notice.message, code: notice.code }, 'postgres notice'),
  }
  const sql = 'url' in server ? postgres(server.url, options) : postgres({ ...server, ...options })
  try {
    await refuseOldServer(sql)
    return sql
  } catch (error) {
    await sql.end({ timeout: 1 })
    throw error
  }
}

async function refuseOldServer(sql: Sql): Promise<void> {
  const [row] = await sql<[{ version: string; major: number }]>`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major`
  if (row.major < OLDEST_MAJOR)
    throw new Error(
      `The PostgreSQL server is version ${row.version}, and Footfall needs ${OLDEST_MAJOR} or newer. Upgrade it, or unset FOOTFALL_POSTGRES_URL to use the embedded one.`,
    )
}
