/**
 * A statement that sets more than this is split in two. A new session refuses statements over 256 KiB until its limit
 * is raised.
 */
const LONG = 64 * 1024

/**
 * Session state as SET statements: settings and query parameters, together where they are short.
 *
 * A parameter's value is escaped twice on its way into the engine, and both are needed. The client writes the value as
 * parameter text (tab, newline, quote and backslash escaped, the way ClickHouse reads `param_x=` from a URL); that text
 * then stands inside an SQL string literal here, which has escapes of its own. Leaving one out changes about a third of
 * awkward strings without any error.
 */
export function setStatements(
  settings: Iterable<readonly [string, string | null]>,
  params: Iterable<readonly [string, string]>,
): string[] {
  const set = Array.from(
    settings,
    ([name, value]) => `${safeName(name)} = ${value === null ? 'DEFAULT' : literal(value)}`,
  ).join(', ')
  const given = Array.from(params, ([name, text]) => `param_${safeName(name)} = ${literal(text)}`).join(', ')
  const parts = [set, given].filter((part) => part !== '')
  const statements = given.length > LONG ? parts : [parts.join(', ')]
  return statements.filter((part) => part !== '').map((part) => `SET ${part}`)
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', "'": "\\'", '\0': '\\0' }

/** Any text as an SQL string literal. */
export const literal = (text: string): string => `'${text.replace(/[\\'\0]/g, (char) => ESCAPES[char] as string)}'`

const NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/

function safeName(name: string): string {
  if (!NAME.test(name)) throw new BadName(name)
  return name
}

/** The name of a setting or parameter is not valid. */
class BadName extends Error {
  constructor(name: string) {
    super(`Code: 36. DB::Exception: ${JSON.stringify(name)} is not the name of a setting or parameter. (BAD_ARGUMENTS)`)
  }
}
