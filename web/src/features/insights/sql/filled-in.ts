import { quoted } from '../../../lib/sql-text.ts'

/** A statement of ClickHouse with its parameters written into it, so that it can be run as it stands. */
export function filledIn(sql: string, parameters: Readonly<Record<string, unknown>>): string {
  return sql.replaceAll(/\{(\w+)\s*:\s*([^{}]+)\}/g, (whole, name: string, type: string) =>
    Object.hasOwn(parameters, name) ? literal(parameters[name], type.trim()) : whole,
  )
}

const QUOTED = /^(Nullable\()?(String|UUID|Date|DateTime|FixedString|LowCardinality)/

function literal(value: unknown, type: string): string {
  if (value === null || value === undefined) return 'NULL'
  if (type === 'Identifier') return `\`${String(value).replaceAll('`', '\\`')}\``
  const items = /^Array\((.*)\)$/.exec(type)?.[1]
  if (items !== undefined && Array.isArray(value)) {
    const list = `[${value.map((item) => literal(item, items)).join(', ')}]`
    // Without a value the engine would not know of what the list is.
    return value.length === 0 ? `CAST([], '${type}')` : list
  }
  const plain = QUOTED.test(type) ? quoted(String(value)) : String(value)
  return type === 'UUID' ? `toUUID(${plain})` : plain
}
