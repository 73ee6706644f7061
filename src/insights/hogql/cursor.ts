import type { Place } from './ast.ts'
import { placeAt, placeWords, sqlError } from './error.ts'
import { type Token, tokenize } from './tokens.ts'
import { hintForWord } from './unsupported.ts'

const DEEPEST = 80

/** Reads tokens one by one. Words are keywords where the grammar expects one, whatever their case. */
export class Cursor {
  readonly text: string
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.text = text
    this.#tokens = tokenize(text)
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token
  }

  next(): Token {
    const token = this.peek()
    this.#at++
    return token
  }

  /** The end of the last token that was taken. */
  get end(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0
  }

  isWord(...words: string[]): boolean {
    return words.every((word, i) => {
      const token = this.peek(i)
      return token.kind === 'word' && token.text.toUpperCase() === word
    })
  }

  isSymbol(symbol: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'symbol' && token.text === symbol
  }

  takeWord(...words: string[]): boolean {
    const found = this.isWord(...words)
    if (found) this.#at += words.length
    return found
  }

  takeSymbol(symbol: string): boolean {
    const found = this.isSymbol(symbol)
    if (found) this.#at++
    return found
  }

  expectWord(word: string): void {
    if (!this.takeWord(word)) throw this.unexpected(word)
  }

  expectSymbol(symbol: string): void {
    if (!this.takeSymbol(symbol)) throw this.unexpected(`"${symbol}"`)
  }

  /** A list with commas between its items. */
  list<T>(read: () => T): T[] {
    const items = [read()]
    while (this.takeSymbol(',')) items.push(read())
    return items
  }

  /** Where the next token stands. */
  get place(): Place {
    return placeAt(this.text, this.peek().start)
  }

  /** Nesting is bounded, so that no text can exhaust the stack, ours or the engine's. */
  nested<T>(read: () => T): T {
    if (++this.#depth > DEEPEST) throw sqlError('The query is nested too deeply.')
    try {
      return read()
    } finally {
      this.#depth--
    }
  }

  unexpected(wanted: string): Error {
    const { kind, text } = this.peek()
    if (kind === 'end') return sqlError(`The query ends where ${wanted} was expected.`)
    const found = `Expected ${wanted} at ${placeWords(this.place)}, found ${JSON.stringify(text)}.`
    return sqlError(`${found}${this.#hint()}`)
  }

  /** The word itself may be the mistake, or the one before it that was taken for a name. */
  #hint(): string {
    const { kind, text } = this.peek()
    const before = this.#tokens[this.#at - 1]
    const earlier = before?.kind === 'word' ? hintForWord(before.text) : ''
    if (earlier !== '') return earlier
    if (kind === 'word') return hintForWord(text) || hintForWord(this.peek(1).text)
    const isCall = kind === 'symbol' && text === '(' && before?.kind === 'word'
    return isCall ? ` Is a comma missing before ${JSON.stringify(before.text)}?` : ''
  }
}
