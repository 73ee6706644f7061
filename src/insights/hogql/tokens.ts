import { placeAt, placeWords, sqlError } from './error.ts'
import { hintForSign } from './unsupported.ts'

export interface Token {
  readonly kind: 'word' | 'name' | 'number' | 'string' | 'symbol' | 'end'
  /** Words as written; names (quoted) and strings without their quotes. */
  readonly text: string
  readonly start: number
  readonly end: number
}

const SPACE = /(?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)+/y
const WORD = /[A-Za-z_$][A-Za-z0-9_$]*/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z_$])/y
/** The signs of the language; those that begin others come after them. */
export const SIGNS = '-> =~* !~* ~* =~ !~ ~ == != <> <= >= || ?? :: ( ) [ ] { } , . ; = < > + - * / % ? :'.split(' ')
const SYMBOL = new RegExp(SIGNS.map((sign) => sign.replace(/[^\w\s]/g, '\\$&')).join('|'), 'y')
const LONGEST = 50_000

/** The text of a query as words, values and signs. What is none of these is refused. */
export function tokenize(text: string): Token[] {
  if (text.length > LONGEST) throw sqlError(`The query is longer than ${LONGEST} characters.`)
  const tokens: Token[] = []
  const match = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  for (let at = 0; ; ) {
    at += match(SPACE, at)?.length ?? 0
    if (at >= text.length) break
    const quoted = readQuoted(text, at)
    if (quoted) {
      tokens.push(quoted)
      at = quoted.end
      continue
    }
    const word = match(WORD, at)
    const number = word === undefined ? match(NUMBER, at) : undefined
    const symbol = word === undefined && number === undefined ? match(SYMBOL, at) : undefined
    const found = word ?? number ?? symbol
    if (found === undefined)
      throw sqlError(
        `Unexpected ${JSON.stringify(text[at])} at ${placeWords(placeAt(text, at))}.${hintForSign(text[at] as string)}`,
      )
    const kind = word !== undefined ? 'word' : number !== undefined ? 'number' : 'symbol'
    tokens.push({ kind, text: found, start: at, end: at + found.length })
    at += found.length
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length })
  return tokens
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' }

function readQuoted(text: string, start: number): Token | undefined {
  const quote = text[start] as string
  if (quote !== "'" && quote !== '"' && quote !== '`') return undefined
  let value = ''
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at] as string
    if (char === '\\' && at + 1 < text.length) {
      const next = text[++at] as string
      // A pattern such as '\d' keeps its backslash.
      value += ESCAPES[next] ?? (next === '\\' || next === quote ? next : `\\${next}`)
    } else if (char !== quote) value += char
    else if (text[at + 1] === quote) {
      value += quote
      at++
    } else if (quote !== "'" && value.length > 400) throw sqlError('A name has at most 400 characters.')
    else return { kind: quote === "'" ? 'string' : 'name', text: value, start, end: at + 1 }
  }
  throw sqlError(`The quote at ${placeWords(placeAt(text, start))} is never closed.`)
}
