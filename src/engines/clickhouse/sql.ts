/**
 * ClickHouse SQL as nested fragments with bound parameters. A value can only enter a statement as a `Param` (with its
 * ClickHouse type) and an identifier only through `ident`, so nothing a client sends ever becomes SQL text.
 *
 *   const seen = sql`event = ${str(name)}`
 *   render(sql`SELECT count() FROM events WHERE ${seen}`)   // query text with {p0:String} and its query_params
 */
type SqlValue = Fragment | Param

export class Param {
  readonly type: string
  readonly value: unknown
  constructor(type: string, value: unknown) {
    this.type = type
    this.value = value
  }
}

export class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly SqlValue[]
  constructor(strings: readonly string[], values: readonly SqlValue[]) {
    this.strings = strings
    this.values = values
  }
}

export const sql = (strings: TemplateStringsArray, ...values: SqlValue[]): Fragment => new Fragment(strings, values)

export const str = (value: string) => new Param('String', value)
export const strings = (values: readonly string[]) => new Param('Array(String)', values)
export const uint = (value: number) => new Param('UInt64', value)
export const int = (value: number) => new Param('Int64', value)
export const float = (value: number) => new Param('Float64', value)
export const uuid = (value: string) => new Param('UUID', value)
export const uuids = (values: readonly string[]) => new Param('Array(UUID)', values)
/** A time, given as ms since epoch. Comparisons are exact to the millisecond whatever the server's time zone. */
export const moment = (ms: number): Fragment => sql`fromUnixTimestamp64Milli(${int(Math.round(ms))}, 'UTC')`

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A column or table name of our schema. Never for names that come from a client. */
export function ident(name: string): Fragment {
  if (!IDENTIFIER.test(name)) throw new Error(`not an identifier of ours: ${JSON.stringify(name)}`)
  return new Fragment([`\`${name}\``], [])
}

export function join(parts: readonly SqlValue[], separator: ', ' | ' AND ' | ' OR ' | '\n' | ' UNION ALL '): Fragment {
  if (parts.length === 0) return new Fragment([''], [])
  return new Fragment(['', ...Array<string>(parts.length - 1).fill(separator), ''], parts)
}

/** True if all conditions are true, also for an empty list. */
export const and = (parts: readonly SqlValue[]): Fragment =>
  parts.length === 0
    ? sql`1`
    : join(
        parts.map((part) => sql`(${part})`),
        ' AND ',
      )

/** True if any condition is true; false for an empty list. */
export const or = (parts: readonly SqlValue[]): Fragment =>
  parts.length === 0
    ? sql`0`
    : join(
        parts.map((part) => sql`(${part})`),
        ' OR ',
      )

export interface Statement {
  readonly query: string
  readonly query_params: Record<string, unknown>
}

export function render(fragment: Fragment): Statement {
  const query_params: Record<string, unknown> = {}
  let count = 0
  const text = (part: SqlValue): string => {
    if (part instanceof Param) {
      const pieces = piecesOf(part).map((value) => {
        const name = `p${count++}`
        query_params[name] = value
        return `{${name}:${part.type}}`
      })
      return pieces.length === 1 ? (pieces[0] as string) : `arrayConcat(${pieces.join(', ')})`
    }
    return part.strings
      .map((string, i) => string + (i < part.values.length ? text(part.values[i] as SqlValue) : ''))
      .join('')
  }
  return { query: text(fragment), query_params }
}

/**
 * A server refuses a form field over 128 KiB (`http_max_field_value_size`), and each parameter is one. A character takes
 * up to three bytes, and a value up to three for its quotes and comma.
 */
const FIELD_BYTES = 120_000

/** The values of a list, in pieces that each fit a form field; any other value as it is. */
function piecesOf({ type, value }: Param): unknown[] {
  if (!type.startsWith('Array(') || !Array.isArray(value)) return [value]
  const pieces: unknown[][] = [[]]
  let bytes = 0
  for (const each of value) {
    const more = 3 * (String(each).length + 1)
    bytes += more
    if (bytes > FIELD_BYTES && (pieces.at(-1) as unknown[]).length > 0) {
      pieces.push([])
      bytes = more
    }
    pieces.at(-1)?.push(each)
  }
  return pieces
}
