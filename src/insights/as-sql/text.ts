/**
 * Small parts of SQL that people read. Nothing here reaches the engine as it is: whoever runs such a statement sends it
 * through the same reader and the same fence as any other.
 */

/** Why a question cannot be written as SQL, in words for whoever asked it. */
export class NotInSql extends Error {}

export function notInSql(reason: string): never {
  throw new NotInSql(reason)
}

export const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`

const WORDS = /^(select|from|where|group|order|limit|and|or|not|as|by|in|is|on|case|end|with|union|having)$/i

/** A column's name, in backticks where it is no plain word. */
export const named = (text: string): string =>
  /^[a-z_]\w*$/i.test(text) && !WORDS.test(text)
    ? text
    : `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\n', ' ')}\``

export const indented = (text: string, by = 2): string => text.replaceAll('\n', `\n${' '.repeat(by)}`)

/** Conditions that all hold, each on a line of its own. */
export const where = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`

/** A query in brackets, to be read from. */
export const from = (query: string): string => `FROM (\n  ${indented(query)}\n)`

export const columns = (all: readonly string[]): string =>
  all.join(', ').length < 100 && !all.some((each) => each.includes('\n'))
    ? ` ${all.join(', ')}`
    : `\n  ${all.map((each) => indented(each)).join(',\n  ')}`

/** Without a limit of its own a query answers its first hundred rows. */
const MOST = 50_000

/** Several queries with the same columns as one; each column by its number is what rows are ordered by. */
export function together(parts: readonly string[], order: string): string {
  const [only] = parts
  if (only === undefined) notInSql('There is nothing to count: no series of this question exists.')
  if (parts.length === 1) return `${only}\nORDER BY ${order}\nLIMIT ${MOST}`
  return `SELECT *\n${from(parts.join('\nUNION ALL\n'))}\nORDER BY ${order}\nLIMIT ${MOST}`
}

/** Names of columns, none of them twice. */
export function unique(names: readonly string[]): string[] {
  return names.map((name, at) => (names.indexOf(name) === at ? name : `${name} ${at + 1}`))
}
