/** Quoted text, comments, or a semicolon: only the last ends a statement. */
const TOKENS = /'(?:[^'\\]|\\[\s\S]|'')*'|`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\[\s\S])*"|--[^\n]*|\/\*[\s\S]*?\*\/|;/g

/** The statements of an SQL file, without their comments. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let current = ''
  let from = 0
  for (const match of text.matchAll(TOKENS)) {
    const token = match[0]
    current += text.slice(from, match.index)
    from = match.index + token.length
    if (token === ';') {
      statements.push(current)
      current = ''
    } else if (token.startsWith('--') || token.startsWith('/*')) {
      current += ' '
    } else {
      current += token
    }
  }
  statements.push(current + text.slice(from))
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
