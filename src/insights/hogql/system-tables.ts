/** Tables about the project itself: what it has saved, and what its tables are. */
import { type Fragment, sql, str, strings } from '../../engines/clickhouse-sql.ts'
import { stringifyJson } from '../../lib/json.ts'
import { TABLE_FIELDS } from './table-fields.ts'
import type { View, ViewContext } from './view.ts'

type ColumnType = 'integer' | 'string' | 'boolean' | 'datetime' | 'json'
type Columns = Readonly<Record<string, ColumnType>>

const NAMED = {
  id: 'integer',
  name: 'string',
  description: 'string',
  created_at: 'datetime',
  deleted: 'boolean',
} as const

export const SYSTEM_TABLES = {
  'system.actions': { ...NAMED, steps_json: 'json' },
  'system.cohorts': { ...NAMED, filters: 'json', is_static: 'boolean', count: 'integer' },
  'system.dashboards': { ...NAMED, pinned: 'boolean' },
  'system.insights': { ...NAMED, short_id: 'string', query: 'json', favorited: 'boolean', saved: 'boolean' },
  'system.feature_flags': { ...NAMED, key: 'string', active: 'boolean', filters: 'json' },
  'system.experiments': {
    ...NAMED,
    type: 'string',
    start_date: 'datetime',
    end_date: 'datetime',
    archived: 'boolean',
    feature_flag_id: 'integer',
  },
  'system.annotations': {
    id: 'integer',
    content: 'string',
    scope: 'string',
    date_marker: 'datetime',
    created_at: 'datetime',
    deleted: 'boolean',
  },
  'system.group_type_mappings': {
    group_type: 'string',
    group_type_index: 'integer',
    name_singular: 'string',
    name_plural: 'string',
  },
  'system.information_schema.tables': { table_schema: 'string', table_name: 'string', table_type: 'string' },
  'system.information_schema.columns': {
    table_schema: 'string',
    table_name: 'string',
    column_name: 'string',
    data_type: 'string',
    ordinal_position: 'integer',
  },
} as const satisfies Readonly<Record<string, Columns>>

/** Those of what the project has saved, which somebody has to read first. */
export const SAVED_TABLES = [
  'system.actions',
  'system.cohorts',
  'system.dashboards',
  'system.insights',
  'system.feature_flags',
  'system.experiments',
  'system.annotations',
  'system.group_type_mappings',
] as const
export type SavedTable = (typeof SAVED_TABLES)[number]

/** The tables of what a project has saved that a query speaks of. */
export const savedTablesIn = (query: string): SavedTable[] => {
  const text = query.toLowerCase().replace(/[\s`"]/g, '')
  return SAVED_TABLES.filter((name) => text.includes(name))
}

export function systemView(name: string, context: ViewContext): View | undefined {
  const known = name.replace(/^information_schema\./, 'system.information_schema.')
  if (!Object.hasOwn(SYSTEM_TABLES, known)) return undefined
  const columns: Columns = SYSTEM_TABLES[known as keyof typeof SYSTEM_TABLES]
  const rows = known.includes('information_schema') ? schemaRows(known) : (context.system?.[known] ?? [])
  return {
    columns: Object.keys(columns),
    field([column = '', ...rest]) {
      if (rest.length > 0 || !Object.hasOwn(columns, column)) return undefined
      return { value: cell(column, columns[column] as ColumnType), kind: 'other' }
    },
    from: () => sql`(SELECT arrayJoin(${strings(rows.map((row) => stringifyJson(row)))}) AS doc) AS s`,
  }
}

function cell(column: string, type: ColumnType): Fragment {
  const key = str(column)
  switch (type) {
    case 'integer':
      return sql`JSONExtract(s.doc, ${key}, 'Nullable(Int64)')`
    case 'boolean':
      return sql`JSONExtract(s.doc, ${key}, 'Bool')`
    case 'datetime':
      return sql`parseDateTime64BestEffortOrNull(JSONExtractString(s.doc, ${key}), 6, 'UTC')`
    case 'json':
      return sql`JSONExtractRaw(s.doc, ${key})`
    case 'string':
      return sql`JSONExtract(s.doc, ${key}, 'Nullable(String)')`
  }
}

function schemaRows(name: string): Readonly<Record<string, unknown>>[] {
  const tables = [
    ...Object.entries(TABLE_FIELDS).map(([table, { fields }]) => ({
      schema: 'posthog',
      table,
      fields: fields.map(([field, type]) => [field, type] as const),
    })),
    ...Object.entries(SYSTEM_TABLES).map(([table, columns]) => ({
      schema: table.slice(0, table.lastIndexOf('.')),
      table: table.slice(table.lastIndexOf('.') + 1),
      fields: Object.entries(columns),
    })),
  ]
  if (name.endsWith('.tables'))
    return tables.map(({ schema, table }) => ({ table_schema: schema, table_name: table, table_type: 'VIEW' }))
  return tables.flatMap(({ schema, table, fields }) =>
    fields.map(([column_name, data_type], i) => ({
      table_schema: schema,
      table_name: table,
      column_name,
      data_type,
      ordinal_position: i + 1,
    })),
  )
}
