/** The tables and fields that SQL can read, each with a value that was seen lately. */
import type { DatabaseField, DatabaseTable } from '../../contract/results/index.ts'
import { SYSTEM_TABLES } from '../hogql/system-tables.ts'
import { type FieldRow, TABLE_FIELDS, type TableName } from '../hogql/table-fields.ts'
import type { SqlResult } from '../kinds/sql/run.ts'

const LONGEST_SAMPLE = 100
/** Put together from all events of a project: too dear for an example. */
const WITHOUT_SAMPLES: ReadonlySet<string> = new Set(['cohort_people'])
/** Not the fields that join another table for it; events hold their person themselves. */
const sampled = (table: TableName): FieldRow[] =>
  TABLE_FIELDS[table].fields.filter(
    ([name]) => !name.includes('.') || (table === 'events' && name.startsWith('person.')),
  )

/** Some rows of each table that has any at hand. */
export const sampleStatements = (): (readonly [string, string])[] => [
  ...(Object.keys(TABLE_FIELDS) as TableName[])
    .filter((table) => !WITHOUT_SAMPLES.has(table))
    .map(
      (table) =>
        [
          table,
          statement(
            sampled(table).map(([name]) => name),
            READ_FROM[table] ?? table,
          ),
        ] as const,
    ),
  ...Object.entries(SYSTEM_TABLES)
    .filter(([table]) => !table.includes('information_schema'))
    .map(([table, columns]) => [table, statement(Object.keys(columns), table)] as const),
]

const statement = (fields: readonly string[], from: string): string =>
  `select ${fields.join(', ')} from ${from} limit 20`

const LATELY = 'timestamp > now() - interval 30 day'

/** What is made of many rows is made of a few here. */
const READ_FROM: Partial<Record<TableName, string>> = {
  events: `events where ${LATELY}`,
  person_distinct_ids: `(select distinct_id, person_id from events where ${LATELY} limit 20) as ids`,
  sessions: `sessions where session_id in (select $session_id from events where ${LATELY} and $session_id != '' limit 20)`,
  session_replay_events: 'session_replay_events order by start_time desc',
}

export function describedTables(samples: ReadonlyMap<string, SqlResult | undefined>): Record<string, DatabaseTable> {
  const tables = (Object.keys(TABLE_FIELDS) as TableName[]).map((name): DatabaseTable => {
    const { words, fields } = TABLE_FIELDS[name]
    const seen = firstValues(sampled(name), samples.get(name))
    return {
      id: name,
      name,
      type: 'posthog',
      description: words,
      fields: Object.fromEntries(fields.map((row) => [row[0], fieldOf(row, seen.get(row[0]) ?? null)])),
    }
  })
  const system = Object.entries(SYSTEM_TABLES).map(([name, columns]): DatabaseTable => {
    const rows = Object.entries(columns).map(([column, type]): FieldRow => [column, type, ''])
    const seen = firstValues(rows, samples.get(name))
    return {
      id: name,
      name,
      type: 'system',
      description: 'About the project itself.',
      fields: Object.fromEntries(rows.map((row) => [row[0], fieldOf(row, seen.get(row[0]) ?? null)])),
    }
  })
  return Object.fromEntries([...tables, ...system].map((table) => [table.name, table]))
}

const fieldOf = ([name, type, description, properties]: FieldRow, sample: string | null): DatabaseField => ({
  name,
  hogql_value: name,
  type,
  schema_valid: true,
  description,
  properties: properties ?? null,
  sample,
})

function firstValues(fields: readonly FieldRow[], answer: SqlResult | undefined): Map<string, string> {
  const found = new Map<string, string>()
  for (const row of answer?.results ?? [])
    for (const [i, [name]] of fields.entries()) {
      const value = row[i]
      const said = typeof value === 'string' ? value : JSON.stringify(value ?? null)
      if (!found.has(name) && said !== '' && said !== 'null' && said !== '[]')
        found.set(name, said.slice(0, LONGEST_SAMPLE))
    }
  return found
}
