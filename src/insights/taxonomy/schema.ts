/** The tables and fields that SQL can read, each with a value that was seen lately. */
import type { DatabaseField, DatabaseTable } from '../../contract/results/index.ts'
import { SYSTEM_TABLES } from '../hogql/system-tables.ts'
import { type FieldRow, TABLE_FIELDS, type TableName } from '../hogql/table-fields.ts'
import type { SqlResult } from '../kinds/sql/run.ts'

const LONGEST_SAMPLE = 100
/** Put together from all events of a project, or empty in most: too dear for an example. */
const WITHOUT_SAMPLES: ReadonlySet<string> = new Set([
  'sessions',
  'person_distinct_ids',
  'cohort_people',
  'static_cohort_people',
])
/** Fields that join another table for it. */
const isOfTable = ([name]: FieldRow): boolean => !name.includes('.')

const sampled = (table: TableName): FieldRow[] => TABLE_FIELDS[table].fields.filter(isOfTable)

/** The newest rows of each table that has any at hand. */
export const sampleStatements = (): (readonly [TableName, string])[] =>
  (Object.keys(TABLE_FIELDS) as TableName[])
    .filter((table) => !WITHOUT_SAMPLES.has(table))
    .map((table) => [
      table,
      `select ${sampled(table)
        .map(([name]) => name)
        .join(', ')} from ${table}${NEWEST[table] ?? ''} limit 20`,
    ])

const NEWEST: Partial<Record<TableName, string>> = {
  events: ' where timestamp > now() - interval 1 day',
  session_replay_events: ' order by start_time desc',
}

export function describedTables(samples: ReadonlyMap<TableName, SqlResult | undefined>): Record<string, DatabaseTable> {
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
  const system = Object.entries(SYSTEM_TABLES).map(
    ([name, columns]): DatabaseTable => ({
      id: name,
      name,
      type: 'system',
      description: 'About the project itself.',
      fields: Object.fromEntries(
        Object.entries(columns).map(([column, type]) => [column, fieldOf([column, type, ''], null)]),
      ),
    }),
  )
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
