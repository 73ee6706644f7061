/** A result in ClickHouse's JSONCompact format, which also has statistics of the query. */
interface CompactResult {
  readonly meta: readonly { readonly name: string; readonly type: string }[]
  readonly data: readonly (readonly unknown[])[]
  readonly statistics?: { readonly elapsed: number; readonly rows_read: number; readonly bytes_read: number }
}

export const parseCompact = (text: string): CompactResult => parseExact(text) as CompactResult

/** Rows as objects, by the names of the columns. */
export function rowsOf<T>(result: CompactResult): T[] {
  const names = result.meta.map((column) => column.name)
  return result.data.map((values) => Object.fromEntries(names.map((name, i) => [name, values[i]])) as T)
}

/** Matches strings and whole numbers, so that no digits are taken from the middle of a string or decimal. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const LONG_INTEGER = /^-?\d{16,}$/

/** JSON with 64-bit integers: a number where JavaScript can hold it, else its digits as a string. */
export function parseExact(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  return JSON.parse(
    text.replace(TOKENS, (token) =>
      LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  )
}
