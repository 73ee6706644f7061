/** What the server must know about a statement's text. Values are parameters, so nothing here affects them. */

const COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/
const FORMAT_AT_END = /\sFORMAT\s+(\w+)\s*(?:SETTINGS\s[^;]*)?;?\s*$/i
const KILL = /^KILL\s+QUERY\s+WHERE\s+query_id\s*=\s*(?:'([^'\\]*)'|\{\s*(\w+)\s*:\s*String\s*\})/i

/** Formats whose output is the same at once or block by block. Others have a header or footer. */
const STREAMABLE = new Set(
  [
    'JSONEachRow',
    'JSONLines',
    'NDJSON',
    'JSONStringsEachRow',
    'JSONCompactEachRow',
    'JSONCompactStringsEachRow',
    'CSV',
    'TabSeparated',
    'TSV',
    'TabSeparatedRaw',
    'TSVRaw',
    'LineAsString',
    'RawBLOB',
    'RowBinary',
    'Native',
  ].map((name) => name.toLowerCase()),
)

const withoutLeadingComments = (statement: string): string => statement.replace(COMMENTS, '')

export const formatOf = (statement: string): string | undefined => FORMAT_AT_END.exec(statement)?.[1]

export const isInsert = (statement: string): boolean => /^INSERT\b/i.test(withoutLeadingComments(statement))

export const canStream = (statement: string, format: string): boolean =>
  STREAMABLE.has(format.toLowerCase()) && /^(?:SELECT|WITH|\()/i.test(withoutLeadingComments(statement))

/** `KILL QUERY WHERE query_id = ...` of a client, who knows its own query ids but not the engine's. */
export function killedQueryId(statement: string, params: ReadonlyMap<string, string>): string | undefined {
  const match = KILL.exec(withoutLeadingComments(statement))
  return match ? (match[1] ?? params.get(match[2] ?? '')) : undefined
}

/** The same insert, with its rows from a file instead of the body. Undefined when the statement has no FORMAT. */
export function insertFromFile(statement: string, fileLiteral: string): string | undefined {
  const format = FORMAT_AT_END.exec(statement)
  if (!format || !isInsert(statement)) return undefined
  const head = statement.slice(0, format.index)
  const settings = /\sSETTINGS\s[\s\S]*$/i.exec(head)
  const target = settings ? head.slice(0, settings.index) : head
  return `${target} FROM INFILE ${fileLiteral}${settings ? settings[0] : ''} FORMAT ${format[1]}`
}
