import { Readable } from 'node:stream'
import { ClickHouseLogLevel, createClient } from '@clickhouse/client'
import type { Logger } from '../../lib/logger.ts'
import { pause } from '../../lib/pause.ts'
import { CLUSTER_COMMAND_SETTINGS, CLUSTER_INSERT_SETTINGS, CLUSTER_QUERY_SETTINGS, onCluster } from './cluster.ts'
import { Credentials } from './credentials.ts'
import { asFailure, brokenOff, isAway } from './failure.ts'
import { parseCompact, parseExact, rowsOf } from './result-json.ts'
import { SocketAgent } from './socket-agent.ts'
import { type Fragment, ident, render, sql, str } from './sql.ts'

export type Settings = Readonly<Record<string, string | number | boolean>>

export interface QueryOptions {
  readonly settings?: Settings
  readonly signal?: AbortSignal | undefined
  /** The id that `cancel` takes. */
  readonly queryId?: string
  readonly maxSeconds?: number
}

interface CommandOptions extends QueryOptions {
  /** The statement says itself what happens on a cluster. */
  readonly asWritten?: boolean
}

interface QueryResult<T> {
  readonly rows: T[]
  /** Names and types, in order. */
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly readRows: number
  readonly elapsedMs: number
}

interface InsertOptions {
  /** Rows sent again under the same token are not stored again. */
  readonly token?: string
  readonly settings?: Settings
  readonly signal?: AbortSignal | undefined
  /** Rows are RowBinary, with these columns, instead of lines of JSON. */
  readonly binaryColumns?: readonly string[]
}

/** Address and credentials of a ClickHouse; missing ones are taken from the URL. */
export interface ClickHouseServer {
  readonly url: string
  readonly username?: string
  readonly password?: string
  readonly database?: string
  /** The embedded engine: its socket, and the file with its current secret (credentials.ts). */
  readonly socket?: string
  readonly secretFile?: string
  /** The cluster of the server: tables are then replicated and distributed (cluster.ts). */
  readonly cluster?: string
}

/** The client for ClickHouse, embedded or a server. */
export interface ClickHouse {
  readonly database: string
  /** The cluster of the server, if it belongs to one. */
  readonly cluster: string | undefined
  /** Whether a replica may lag behind the server that took an insert. */
  readonly replicated: boolean
  /** All rows of a result, as objects. 64-bit integers are numbers where they fit and strings of digits where not. */
  query<T>(fragment: Fragment, options?: QueryOptions): Promise<QueryResult<T>>
  /** Rows as they come, for results that may be large. */
  stream<T>(fragment: Fragment, options?: QueryOptions): AsyncGenerator<T>
  /** Rows as lines of JSON, or binary; resolves when they are safely stored, with their number. */
  insert(table: string, rows: Buffer | string, options?: InsertOptions): Promise<number>
  /** Rows in ClickHouse's native format, block by block: exact, and fast in both directions. */
  native(fragment: Fragment, options?: QueryOptions): AsyncGenerator<Buffer>
  /** Inserts what `native` returned. Not deduplicated when sent again. */
  insertNative(table: string, rows: AsyncIterable<Buffer>): Promise<void>
  command(statement: Fragment | string, options?: CommandOptions): Promise<void>
  /** Creates the database, if a new server does not have it. */
  createDatabase(): Promise<void>
  ping(): Promise<boolean>
  cancel(queryId: string): Promise<void>
  close(): Promise<void>
}

/** How properties are read into the JSON type: a string stays a string, a dot in a key stays in the key. */
const HOUSE_SETTINGS: Settings = {
  input_format_try_infer_dates: 0,
  input_format_try_infer_datetimes: 0,
  json_type_escape_dots_in_keys: 1,
  type_json_skip_duplicated_paths: 1,
}

/**
 * An import may go back decades: one insert then writes to a partition for each month, and must not be refused for it.
 */
const INSERT_SETTINGS: Settings = { ...HOUSE_SETTINGS, max_partitions_per_insert_block: 0 }

const RESULT_SETTINGS: Settings = {
  ...HOUSE_SETTINGS,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 0,
}

/** The engine's own limits end a query sooner; this is for a server that does not respond at all. */
const REQUEST_TIMEOUT_MS = 330_000

const MAX_CONNECTIONS = 32

/** The longest error text at the end of a result. */
const FAILURE_BYTES = 16 * 1024

interface ClientOptions extends ClickHouseServer {
  readonly log: Logger
  /** Resolves when an engine that went away is back. Without it there are no retries. */
  whenBack?(): Promise<void>
  /** How long a query waits for that: 30 s unless told otherwise. */
  readonly backWithinMs?: number
}

/** A new engine is ready within seconds, on a busy machine later; queries of the old one are retried. */
const BACK_WITHIN_MS = 30_000

export function openClickHouse(options: ClientOptions): ClickHouse {
  const address = new URL(options.url)
  const database = options.database ?? (decodeURIComponent(address.pathname.slice(1)) || 'footfall')
  const username = options.username ?? (decodeURIComponent(address.username) || 'default')
  const password = options.password ?? decodeURIComponent(address.password)
  const credentials = new Credentials({ username, password, secretFile: options.secretFile })
  const config = {
    url: `${address.protocol}//${address.host}`,
    ...(options.socket === undefined
      ? { max_open_connections: MAX_CONNECTIONS }
      : { http_agent: new SocketAgent(options.socket, MAX_CONNECTIONS) }),
    username,
    application: 'footfall',
    request_timeout: REQUEST_TIMEOUT_MS,
    use_multipart_params_auto: true,
    log: { level: ClickHouseLogLevel.OFF },
  }
  const client = createClient({ ...config, database })
  const { cluster } = options
  const statementsOf = (query: string) => (cluster === undefined ? [query] : onCluster(query, { cluster, database }))

  const common = ({ signal, queryId, settings, maxSeconds }: QueryOptions) => ({
    auth: credentials.auth,
    ...(signal ? { abort_signal: signal } : {}),
    ...(queryId ? { query_id: queryId } : {}),
    clickhouse_settings: {
      ...RESULT_SETTINGS,
      ...(cluster === undefined ? {} : CLUSTER_QUERY_SETTINGS),
      ...(maxSeconds === undefined ? {} : { max_execution_time: maxSeconds }),
      ...settings,
    },
  })

  /**
   * Retries once when the connection was stale: safe for statements that change nothing, or nothing twice. Also when
   * the engine has a new secret: a refused statement has not begun.
   */
  async function again<T>(signal: AbortSignal | undefined, repeatable: boolean, work: () => Promise<T>): Promise<T> {
    try {
      signal?.throwIfAborted()
      const used = credentials.auth.password
      return await work().catch((error) => {
        const stale = repeatable && isAway(error)
        if (signal?.aborted || !(stale || credentials.renewedAfter(asFailure(error), used))) throw error
        options.log.debug({ error: String(error) }, 'clickhouse connection was stale, asking again')
        const usedNext = credentials.auth.password
        return work().catch((second) =>
          repeatable && isGone(second, usedNext) ? workWhenBack(signal, second, work) : Promise.reject(second),
        )
      })
    } catch (error) {
      throw asFailure(error, signal)
    }
  }

  /** Whether the engine has gone: nothing listens, or a new one has another secret. */
  const isGone = (error: unknown, used: string): boolean =>
    isAway(error) || credentials.renewedAfter(asFailure(error), used)

  /** Retries once when the engine ended during the query, as soon as a new one is ready. */
  async function workWhenBack<T>(signal: AbortSignal | undefined, away: unknown, work: () => Promise<T>): Promise<T> {
    const { whenBack, backWithinMs = BACK_WITHIN_MS } = options
    const end = Date.now() + backWithinMs
    let last = away
    while (whenBack && Date.now() < end && !signal?.aborted) {
      await pause(50, signal)
      await Promise.race([whenBack().catch(() => Promise.reject(last)), pause(end - Date.now(), signal)])
      const used = credentials.auth.password
      try {
        return await work()
      } catch (error) {
        if (!isGone(error, used)) throw error
        last = error
      }
    }
    throw last
  }

  const text = (statement: Fragment | string) =>
    typeof statement === 'string' ? { query: statement, query_params: {} } : render(statement)

  async function command(statement: Fragment | string, given: CommandOptions = {}): Promise<void> {
    const { query, query_params } = text(statement)
    const settings = cluster === undefined ? given.settings : { ...CLUSTER_COMMAND_SETTINGS, ...given.settings }
    // Made anew for each try: the engine may have a new secret.
    const options = () => common({ ...given, ...(settings === undefined ? {} : { settings }) })
    for (const one of given.asWritten ? [query] : statementsOf(query))
      await again(given.signal, false, () => client.command({ query: one, query_params, ...options() }))
  }

  return {
    database,
    cluster,
    replicated: cluster !== undefined,
    query: (fragment, given = {}) =>
      again(given.signal, true, async () => {
        const started = performance.now()
        const params = common({ ...given, settings: { wait_end_of_query: 1, ...given.settings } })
        const answer = await client.query({ ...render(fragment), ...params, format: 'JSONCompact' })
        const result = parseCompact(await answer.text())
        return {
          rows: rowsOf(result),
          columns: result.meta,
          readRows: result.statistics?.rows_read ?? 0,
          elapsedMs: performance.now() - started,
        }
      }),

    async *stream<T>(fragment: Fragment, given: QueryOptions = {}) {
      const answer = await again(given.signal, true, () =>
        client.query({ ...render(fragment), ...common(given), format: 'JSONEachRow' }),
      )
      try {
        for await (const rows of answer.stream()) for (const row of rows) yield parseExact(row.text) as T
      } catch (error) {
        throw asFailure(error, given.signal)
      } finally {
        answer.close()
      }
    },

    async insert(table, rows, { token, settings, signal, binaryColumns } = {}) {
      if (rows.length === 0) return 0
      const names = binaryColumns?.map((name) => render(ident(name)).query)
      const how = names ? `(${names.join(', ')}) FORMAT RowBinary` : 'FORMAT JSONEachRow'
      const query = `INSERT INTO ${render(ident(table)).query} ${how}`
      const bytes = typeof rows === 'string' ? Buffer.from(rows) : rows
      return again(signal, token !== undefined, async () => {
        const { summary, stream } = await client.exec({
          query,
          auth: credentials.auth,
          values: Readable.from([bytes], { objectMode: false }),
          ...(signal ? { abort_signal: signal } : {}),
          clickhouse_settings: {
            ...INSERT_SETTINGS,
            ...(cluster === undefined ? {} : CLUSTER_INSERT_SETTINGS),
            ...(token === undefined ? {} : { insert_deduplication_token: token }),
            ...settings,
          },
        })
        for await (const _ of stream);
        return Number(summary?.written_rows ?? 0)
      })
    },

    async *native(fragment, given = {}) {
      const { query, query_params } = render(fragment)
      const answer = await again(given.signal, true, () =>
        client.exec({ query: `${query} FORMAT Native`, query_params, ...common(given) }),
      )
      // An error in the middle of a result is at the end of the data, where it would pass for rows.
      let end = Buffer.alloc(0)
      try {
        for await (const part of answer.stream as AsyncIterable<Buffer>) {
          end = Buffer.concat([end, part]).subarray(-FAILURE_BYTES)
          yield part
        }
      } catch (error) {
        throw asFailure(error, given.signal)
      }
      const failure = brokenOff(end.toString('latin1'), answer.response_headers)
      if (failure) throw failure
    },

    async insertNative(table, rows) {
      // The rows can be read once, so they are not sent to find out that the engine has a new secret.
      await command('SELECT 1')
      try {
        const { stream } = await client.exec({
          query: `INSERT INTO ${render(ident(table)).query} FORMAT Native`,
          auth: credentials.auth,
          values: Readable.from(rows, { objectMode: false }),
          clickhouse_settings: { ...INSERT_SETTINGS, insert_deduplicate: 0, max_execution_time: 0 },
        })
        for await (const _ of stream);
      } catch (error) {
        throw asFailure(error)
      }
    },

    command,
    async createDatabase() {
      // A server refuses every statement for a database that does not exist, even the one that creates it.
      const outside = createClient({ ...config, database: 'default' })
      const [query] = statementsOf(render(sql`CREATE DATABASE IF NOT EXISTS ${ident(database)}`).query) as [string]
      await again(undefined, false, () => outside.command({ query, auth: credentials.auth })).finally(() =>
        outside.close(),
      )
    },
    ping: async () => (await client.ping()).success,
    cancel: (queryId) => command(sql`KILL QUERY WHERE query_id = ${str(queryId)} ASYNC`),
    close: () => client.close(),
  }
}
