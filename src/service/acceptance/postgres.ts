import { randomBytes } from 'node:crypto'
import { openPostgres, type Sql } from '../../engines/postgres/index.ts'
import type { Logger } from '../../lib/logger.ts'
import { type Checks, failed, warning } from './results.ts'

const MOST_APART_MS = 2_000
/** Connections of one process: its pool, its transactions and its sessions. */
const CONNECTIONS_OF_A_PROCESS = 20
const PROCESSES = 5

export async function checkPostgres(url: string, checks: Checks, log: Logger): Promise<void> {
  let sql: Sql | null = null
  const answers = await checks.run('the server answers', async () => {
    sql = await openPostgres({ url }, { log, max: 2 })
    const [row] = await sql<{ server_version: string }[]>`SHOW server_version`
    return `version ${row?.server_version}`
  })
  if (!answers || sql === null) return
  try {
    await checkServer(sql, checks)
  } finally {
    await (sql as Sql).end({ timeout: 1 })
  }
}

async function checkServer(sql: Sql, checks: Checks): Promise<void> {
  await checks.run('it is the primary', async () => {
    const [row] = await sql<{ standby: boolean }[]>`SELECT pg_is_in_recovery() AS standby`
    if (row?.standby !== false)
      throw failed('it is a standby, which takes no writes', 'Let FOOTFALL_POSTGRES_URL name the primary.')
    return 'it takes writes'
  })
  const rows = await sql<{ name: string; setting: string }[]>`SELECT name, setting FROM pg_settings`
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]))
  await checks.run('what is committed is on disk', () => judgeDurability(settings))
  await checks.run('texts are UTF-8', () => {
    const encoding = settings.get('server_encoding')
    if (encoding !== 'UTF8')
      throw failed(
        `the database is in ${encoding}`,
        "Make it again: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0",
      )
    return 'server_encoding is UTF8'
  })
  await checks.run('there are connections for all processes', () => judgeConnections(settings))
  await checks.run('no limit ends our transactions', () => judgeLimits(settings))
  await checks.run('the clock agrees', () => clockAgrees(sql))
  await checks.run('tables can be made and removed', () => makesTables(sql))
}

export function judgeDurability(settings: ReadonlyMap<string, string>): string {
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((name) => settings.get(name) === 'off')
  if (off.length > 0)
    throw failed(
      `${off.join(' and ')} ${off.length === 1 ? 'is' : 'are'} off: a crash loses or damages what was committed`,
      `Set ${off.map((name) => `${name} = on`).join(', ')}.`,
    )
  return `fsync and full_page_writes are on, synchronous_commit is ${settings.get('synchronous_commit')}`
}

export function judgeConnections(settings: ReadonlyMap<string, string>): string {
  const most = Number(settings.get('max_connections') ?? 0)
  const wanted = PROCESSES * CONNECTIONS_OF_A_PROCESS
  if (most < wanted)
    throw warning(
      `max_connections is ${most}, and each process of Footfall may hold ${CONNECTIONS_OF_A_PROCESS}`,
      `Set it to ${CONNECTIONS_OF_A_PROCESS} times the number of your processes, at least ${wanted}. A pooler in transaction mode does not work: locks belong to sessions.`,
    )
  return `max_connections is ${most}`
}

export function judgeLimits(settings: ReadonlyMap<string, string>): string {
  const names = [
    'statement_timeout',
    'idle_in_transaction_session_timeout',
    'transaction_timeout',
    'idle_session_timeout',
  ]
  const set = names.filter((name) => Number(settings.get(name) ?? 0) > 0)
  if (set.length > 0)
    throw warning(
      `${set.map((name) => `${name} is ${settings.get(name)} ms`).join(', ')}`,
      `Set ${set.length === 1 ? 'it' : 'them'} to 0 for the role of Footfall (ALTER ROLE ... SET): migrations and locks last longer.`,
    )
  return 'none is set'
}

async function clockAgrees(sql: Sql): Promise<string> {
  const asked = Date.now()
  const [row] = await sql<{ ms: number }[]>`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`
  const apart = Math.max(0, asked - Number(row?.ms), Number(row?.ms) - Date.now())
  if (apart > MOST_APART_MS)
    throw failed(`it differs from ours by ${Math.round(apart / 1000)} s`, 'Let NTP set the clocks of all servers.')
  return `within ${MOST_APART_MS / 1000} s of ours`
}

/** In a schema of its own, which is removed. */
async function makesTables(sql: Sql): Promise<string> {
  const name = `footfall_check_${randomBytes(6).toString('hex')}`
  try {
    await sql`CREATE SCHEMA ${sql(name)}`
    await sql`CREATE TABLE ${sql(`${name}.rows`)} (id bigint PRIMARY KEY, value jsonb) PARTITION BY HASH (id)`
  } catch (error) {
    throw failed(
      (error as Error).message,
      'Give the role the right to create in the database (GRANT CREATE ON DATABASE).',
    )
  } finally {
    await sql`DROP SCHEMA IF EXISTS ${sql(name)} CASCADE`.catch(() => {})
  }
  return 'a schema, a partitioned table'
}
