import postgres from 'postgres'
import { backoffMs } from '../../lib/backoff.ts'
import { parseStoredJson, stringifyJson } from '../../lib/json.ts'
import type { Logger } from '../../lib/logger.ts'
import { arrayText } from './array-text.ts'
import type { PostgresConnection } from './embedded/index.ts'
import { Sessions } from './sessions.ts'
import type { Sql, Statements } from './sql.ts'
import { TransactionClients } from './transaction-clients.ts'

/** The address of a PostgreSQL server, or the socket of the embedded one. */
export type PostgresServer = { readonly url: string } | PostgresConnection

interface PoolOptions {
  readonly log: Logger
  /** The most connections; at least two, because the migration lock holds one. */
  readonly max?: number
  /** How long a transaction may wait for its client. Then the server ends it, with its locks: the process may be suspended. */
  readonly idleInTransactionMs?: number
}

const OLDEST_MAJOR = 15

/**
 * Long on purpose. A connection that closes while the library still has bytes to write keeps them and never schedules a
 * write again, so that its next use hangs. A start-up message of 1 kB is written at once: the server refuses the stale
 * bytes before it, the attempt fails, and the next one works.
 */
const APPLICATION_NAME = 'footfall'.padEnd(1024)

/**
 * Ids and counts, which stay far below 2^53: numbers. Dates are `Date`s and timestamps UTC; JSON keeps the digits of
 * huge integers.
 */
const TYPES = {
  bigint: {
    to: 20,
    from: [20],
    serialize: (value: number | bigint) => String(value),
    parse: (text: string) => Number(text),
  },
  json: { to: 114, from: [114, 3802], serialize: stringifyJson, parse: parseStoredJson },
}

/** Opens a pool on a server and checks its version. Connections are opened when needed and closed when idle. */
export async function openPostgres(
  server: PostgresServer,
  { log, max = 10, idleInTransactionMs }: PoolOptions,
): Promise<Sql> {
  const pool = open(server, log, Math.max(2, max))
  try {
    await refuseOldServer(pool)
    // The first connection read the array types for all. Reading them on each costs a query, and a connection that is
    // lost meanwhile leaves an unhandled rejection, which ends the process.
    pool.options.fetch_types = false
    writeArraysFaster(pool)
  } catch (error) {
    await pool.end({ timeout: 1 })
    throw error
  }
  const transactions = new TransactionClients(Math.max(2, max), (onclose) =>
    knowingTypes(pool, open(server, log, 1, { onclose, idleInTransactionMs })),
  )
  // A session holds a lock or a snapshot: the library must not replace its connection after half an hour.
  const sessions = new Sessions(() => knowingTypes(pool, open(server, log, 1, { idle_timeout: 0, max_lifetime: null })))
  const endPool = pool.end.bind(pool)
  return Object.assign(pool, {
    begin: transactions.begin,
    reserve: sessions.reserve,
    end: async (options: { timeout?: number } = {}) => {
      await Promise.all([endPool(options), transactions.end(options), sessions.end(options)])
    },
  })
}

type Client = postgres.Sql<{ bigint: number }>

interface Special {
  readonly onclose?: (connection: number) => void
  readonly idle_timeout?: number
  readonly max_lifetime?: null
  readonly idleInTransactionMs?: number | undefined
}

function open(
  server: PostgresServer,
  log: Logger,
  max: number,
  { idleInTransactionMs, ...special }: Special = {},
): Client {
  const options = {
    max,
    // Each open connection is a process of the server. The pool uses its connections in turn, so that periodic queries
    // keep several open.
    idle_timeout: 2,
    connect_timeout: 10,
    // Seconds between attempts. The library's own pause grows to 20 s, but a restarted embedded server is back in well
    // under one.
    backoff: (attempt: number) => backoffMs(attempt, { firstMs: 50, longestMs: 500 }) / 1_000,
    types: TYPES,
    connection: {
      application_name: APPLICATION_NAME,
      TimeZone: 'UTC',
      ...(idleInTransactionMs === undefined ? {} : { idle_in_transaction_session_timeout: idleInTransactionMs }),
    },
    onnotice: (notice: postgres.Notice) => log.debug({ notice: notice.message, code: notice.code }, 'postgres notice'),
    ...special,
  }
  return 'url' in server ? openUrl(server.url, options) : postgres({ ...server, ...options })
}

/** A client that does not read the array types from the server, because another one has. */
function knowingTypes(teacher: Client, client: Client): Client {
  client.options.fetch_types = false
  Object.assign(client.options.parsers, teacher.options.parsers)
  Object.assign(client.options.serializers, teacher.options.serializers)
  arrayTypes(client).typeArrayMap = arrayTypes(teacher).typeArrayMap
  return client
}

/** Where the library keeps the oid of the array type of each type; its own types do not have it. */
const arrayTypes = ({ options }: Client) =>
  (options as unknown as { shared: { typeArrayMap: Record<number, number> } }).shared

function writeArraysFaster(client: Client): void {
  const { serializers } = client.options
  for (const [type, arrayType] of Object.entries(arrayTypes(client).typeArrayMap)) {
    const byLibrary = serializers[arrayType]
    if (byLibrary && arrayType !== BOX_ARRAY)
      serializers[arrayType] = (list) => arrayText(list, serializers[Number(type)]) ?? byLibrary(list)
  }
}

/** The only array whose values are not separated by commas. */
const BOX_ARRAY = 1020

/** As with libpq, `?host=/run/postgresql` names the directory of a socket; the library does not support that. */
function openUrl<Options extends object>(url: string, options: Options) {
  const server = new URL(url)
  const host = server.searchParams.get('host')
  if (!host?.startsWith('/')) return postgres<typeof TYPES>(url, options)
  server.searchParams.delete('host')
  return postgres<typeof TYPES>(server.href, { ...options, host })
}

async function refuseOldServer(sql: Statements): Promise<void> {
  const [row] = await sql<[{ version: string; major: number }]>`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major`
  if (row.major < OLDEST_MAJOR)
    throw new Error(
      `The PostgreSQL server is version ${row.version}, and Footfall needs ${OLDEST_MAJOR} or newer. Upgrade it, or unset FOOTFALL_POSTGRES_URL to use the embedded one.`,
    )
}
