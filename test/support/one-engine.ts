/**
 * Statements for a cluster as one engine runs them that is all its servers. The library does not run `ON CLUSTER` and cannot replicate,
 * so statements lose both. Both shards are this engine and would read the same table, so `events_local` is a view that shows each shard
 * its own rows of `events_rows`: those that a Distributed table sends to it. Rows are inserted through a Distributed table over
 * `events_rows`, `events_insert`, because a view takes none.
 */
export function onOneEngine(statement: string): string[] {
  const inserted = INSERT.exec(statement)
  if (inserted)
    return [statement.replace(INSERT, SHARDED.has(inserted[1] ?? '') ? 'INSERT INTO `$1_insert`' : 'INSERT INTO `$1`')]
  if (!statement.includes('ON CLUSTER')) return [statement]
  const alone = statement.replace(/ ON CLUSTER '[^']*'/, '').replace(REPLICATED, 'ENGINE = $1($2)')
  const distributed = DISTRIBUTED.exec(alone)
  if (distributed) return createDistributed(alone, distributed)
  if (LOCAL.test(alone)) return alterLocal(alone.replace(LOCAL, '$1 $2$3_rows'))
  return [alone]
}

/** Tables that are known to be sharded since their Distributed table was made. */
const SHARDED = new Map<string, { readonly key: string; readonly calculated: string[] }>()

const INSERT = /^INSERT INTO `(\w+)`/
const REPLICATED = /ENGINE = Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?([^)]*)\)/
const DISTRIBUTED =
  /^CREATE TABLE (IF NOT EXISTS )?(\w+) AS \w+ (ENGINE = Distributed\('(\w+)', '(\w+)', )'\w+', (.+)\)\s*$/
const LOCAL = /^(CREATE TABLE|ALTER TABLE) (IF NOT EXISTS )?(\w+)_local/
const COLUMN = /^ALTER TABLE (\w+)_rows\s+ADD COLUMN/
const CALCULATED = /ADD COLUMN (?:IF NOT EXISTS )?(\w+) \w+ MATERIALIZED/

function createDistributed(
  statement: string,
  [, unless = '', table = '', engine = '', , , key = '']: RegExpExecArray,
): string[] {
  SHARDED.set(table, { key, calculated: [] })
  return [
    viewOf(table, key, []),
    `CREATE TABLE ${unless}${table}_insert AS ${table}_rows ${engine}'${table}_rows', ${key})`,
    statement.replace(` AS ${table}_local `, ` AS ${table}_rows `),
  ]
}

/** A table gives columns that it calculates to whoever names them, a view only if it reads them. */
const viewOf = (table: string, key: string, calculated: readonly string[]): string =>
  `CREATE OR REPLACE VIEW ${table}_local AS SELECT ${['*', ...calculated].join(', ')} FROM ${table}_rows WHERE shardCount() = 0 OR ${key} % shardCount() = shardNum() - 1`

/** A new column is one of the view and of the table for inserts too. */
function alterLocal(statement: string): string[] {
  const table = COLUMN.exec(statement)?.[1]
  const sharded = table === undefined ? undefined : SHARDED.get(table)
  if (table === undefined || sharded === undefined) return [statement]
  const name = CALCULATED.exec(statement)?.[1]
  if (name !== undefined && !sharded.calculated.includes(name)) sharded.calculated.push(name)
  return [
    statement,
    viewOf(table, sharded.key, sharded.calculated),
    statement.replace(`${table}_rows`, `${table}_insert`),
  ]
}
