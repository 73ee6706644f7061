/**
 * Rewrites statements for a cluster. No code outside this file knows that there is one: tables keep their names, and
 * statements about them become statements for all servers.
 *
 *   sharded      `events` becomes `events_local`, replicated within each shard, and `events`, a Distributed table over
 *                all of them. The key keeps related rows together: the events of a person, a uuid with its retries, a
 *                session. No result depends on it: the server that runs a query merges the parts. It must not: events
 *                of a merged person stay where they are, and shards that are added later hold newer rows only.
 *   everywhere   small tables that queries join with: every server has all rows, so that joins run where the events
 *                are.
 *
 * Servers identify themselves by the macros {shard} and {replica}, as ClickHouse's documentation recommends.
 */
interface ClickHouseCluster {
  readonly cluster: string
  readonly database: string
}

/**
 * The placement of each table: its sharding key, or everywhere. A table that is not listed cannot be created on a
 * cluster.
 */
const PLACES: Readonly<Record<string, string | 'everywhere'>> = {
  events: 'cityHash64(project_id, person_id)',
  event_uuids: 'cityHash64(project_id, uuid)',
  sessions: 'cityHash64(project_id, session_id)',
  heatmaps: 'cityHash64(project_id, session_id)',
  recording_chunks: 'cityHash64(project_id, session_id)',
  recording_minutes: 'cityHash64(project_id, session_id)',
  persons: 'everywhere',
  person_overrides: 'everywhere',
  groups: 'everywhere',
  cohort_people: 'everywhere',
  schema_migrations: 'everywhere',
}

/** All tables, as statements name them: on a cluster a sharded one has other tables beside it. */
export const TABLES: readonly string[] = Object.keys(PLACES)

const NAME = '`?([A-Za-z_][A-Za-z0-9_]*)`?'
const CREATE_TABLE = new RegExp(`^\\s*CREATE TABLE (IF NOT EXISTS )?${NAME}(?=[\\s(])`, 'i')
const ALTER_TABLE = new RegExp(`^\\s*ALTER TABLE ${NAME}(?=\\s)`, 'i')
const CREATE_DATABASE = new RegExp(`^\\s*CREATE DATABASE (IF NOT EXISTS )?(${NAME})\\s*$`, 'i')
const KILL_QUERY = /^\s*KILL QUERY(?=\s)/i
const ENGINE = /ENGINE\s*=\s*([A-Za-z]*MergeTree)(?:\s*\(([^)]*)\))?/i
const CHANGES_COLUMNS = /^\s*(?:ADD|DROP|MODIFY|RENAME|CLEAR|COMMENT)\s+COLUMN\b/i
/** Statements that have not been needed so far, and would run on one server only. */
const UNKNOWN = /^\s*(?:CREATE|DROP|RENAME|TRUNCATE|OPTIMIZE|DELETE|ATTACH|DETACH|EXCHANGE)\s/i

export function onCluster(statement: string, { cluster, database }: ClickHouseCluster): string[] {
  const everyone = `ON CLUSTER '${cluster}'`
  const created = CREATE_TABLE.exec(statement)
  if (created) return createTable(statement, created, { cluster, database }, everyone)
  const altered = ALTER_TABLE.exec(statement)
  if (altered) return alterTable(statement, altered, everyone)
  if (CREATE_DATABASE.test(statement)) return [`${statement.trimEnd()} ${everyone}`]
  if (KILL_QUERY.test(statement)) return [statement.replace(KILL_QUERY, (found) => `${found} ${everyone}`)]
  if (UNKNOWN.test(statement)) throw new Error(`nobody has said how to do this on a cluster: ${statement.slice(0, 80)}`)
  return [statement]
}

function createTable(
  statement: string,
  [head, unless = '', table = '']: RegExpExecArray,
  { cluster, database }: ClickHouseCluster,
  everyone: string,
): string[] {
  const place = placeOf(table)
  const rest = statement.slice(head.length)
  if (place === 'everywhere') {
    const path = `/clickhouse/tables/everywhere/${database}/${table}`
    return [`CREATE TABLE ${unless}${table} ${everyone}${replicated(rest, path, '{shard}-{replica}')}`]
  }
  const local = localName(table)
  const path = `/clickhouse/tables/{shard}/${database}/${local}`
  return [
    `CREATE TABLE ${unless}${local} ${everyone}${replicated(rest, path, '{replica}')}`,
    `CREATE TABLE ${unless}${table} ${everyone} AS ${local} ENGINE = Distributed('${cluster}', '${database}', '${local}', ${place})`,
  ]
}

/** The tables that a change concerns: a mutation only the local ones, a column also the Distributed one. */
function alterTable(statement: string, [head, table = '']: RegExpExecArray, everyone: string): string[] {
  const rest = statement.slice(head.length)
  // Replicas tell each other.
  if (placeOf(table) === 'everywhere') return [statement]
  const local = `ALTER TABLE ${localName(table)} ${everyone}${rest}`
  return CHANGES_COLUMNS.test(rest) ? [local, `ALTER TABLE ${table} ${everyone}${rest}`] : [local]
}

function placeOf(table: string): string {
  const place = Object.hasOwn(PLACES, table) ? PLACES[table] : undefined
  if (place === undefined) throw new Error(`nobody has said where the table ${table} lies on a cluster (cluster.ts)`)
  return place
}

const localName = (table: string): string => `${table}_local`

function replicated(rest: string, path: string, replica: string): string {
  if (!ENGINE.test(rest)) throw new Error(`a table of an engine that cannot be replicated: ${rest.slice(0, 80)}`)
  return rest
    .replace(ENGINE, (_, engine: string, args?: string) => {
      const all = [`'${path}'`, `'${replica}'`, ...(args?.trim() ? [args.trim()] : [])]
      return `ENGINE = Replicated${engine}(${all.join(', ')})`
    })
    .replace(
      /\bnon_replicated_deduplication_window\s*=\s*(\d+)/,
      'replicated_deduplication_window = $1, replicated_deduplication_window_seconds = 604800',
    )
}

/** An insert is acknowledged when every shard has taken its part, and most replicas of each have it. */
export const CLUSTER_INSERT_SETTINGS = { distributed_foreground_insert: 1, insert_quorum: 'auto' } as const

/** A table that occurs twice in one query is read by a global subquery, once for all servers. */
export const CLUSTER_QUERY_SETTINGS = { distributed_product_mode: 'global' } as const

/**
 * Replicated tables refuse a mutation with a subquery, because replicas could see different rows in it. Ours select
 * rows that nothing changes until every replica has confirmed the mutation. A statement for all servers may take as
 * long as the client waits.
 */
export const CLUSTER_COMMAND_SETTINGS = {
  allow_nondeterministic_mutations: 1,
  distributed_ddl_task_timeout: 300,
} as const
