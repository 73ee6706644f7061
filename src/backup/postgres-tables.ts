import type { Statements } from '../engines/postgres/index.ts'

export interface Table {
  readonly name: string
  /** Without generated columns, which the server computes again. */
  readonly columns: readonly string[]
}

/**
 * Not in a backup. The salts for visitors without cookies must be deleted after a day, and a backup would keep them:
 * after a restore such visitors count as new for the rest of the day. Migrations are applied again. The other tables
 * coordinate running processes: who runs which partition, and which events are not delivered yet, of which there are
 * none at the moment of a backup.
 */
const LEFT_OUT = [
  'cookieless_salts',
  'schema_migrations',
  'partition_leases',
  'pipeline_members',
  'pipeline_pauses',
  'uuid_claims',
  'log_writers',
]

/** Every table, each after the tables it references. */
export async function tablesOf(sql: Statements): Promise<Table[]> {
  const tables = await sql<{ name: string; columns: string[] }[]>`
    SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relpersistence = 'p' AND c.relname::text <> ALL(${LEFT_OUT}::text[])
    GROUP BY c.relname ORDER BY c.relname`
  const references = await sql<Reference[]>`
    SELECT t.relname AS from, r.relname AS to
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
    WHERE k.contype = 'f' AND t.relnamespace = current_schema()::regnamespace`
  return inOrder([...tables], references)
}

interface Reference {
  readonly from: string
  readonly to: string
}

/** A table comes after the tables it references; otherwise by name. */
export function inOrder<T extends { readonly name: string }>(
  tables: readonly T[],
  references: readonly Reference[],
): T[] {
  const order: T[] = []
  const waiting = new Set(tables)
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name))
    const free = [...waiting].filter(
      ({ name }) => !references.some(({ from, to }) => from === name && to !== name && names.has(to)),
    )
    if (free.length === 0) throw new Error(`Tables refer to each other in a circle: ${[...names].join(', ')}`)
    for (const table of free) waiting.delete(table)
    order.push(...free)
  }
  return order
}

/** The sequences and their last values. */
export async function sequencesOf(sql: Statements): Promise<{ name: string; value: number }[]> {
  return [
    ...(await sql<{ name: string; value: number }[]>`
      SELECT sequencename AS name, last_value AS value FROM pg_sequences
      WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`),
  ]
}
