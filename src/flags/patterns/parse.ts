/**
 * Reads a regular expression into a tree. The syntax is that of the flag service which SDKs were made for (Rust's, with
 * lookaround and back-references): what JavaScript reads otherwise, such as (?i), \A or (?P<name>), means the same here.
 */
import { type CharTest, classTest, escapeTest, posixTest, propertyTest } from './characters.ts'

export type Node =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number; readonly how: How }
  | { readonly kind: 'group'; readonly node: Node; readonly index: number }
  | { readonly kind: 'atomic'; readonly node: Node }
  | { readonly kind: 'again'; readonly index: number; readonly ignoreCase: boolean }
  | { readonly kind: 'look'; readonly node: Node; readonly ahead: boolean; readonly wanted: boolean }
  | { readonly kind: 'at'; readonly place: 'start' | 'end' | 'line-start' | 'line-end' | 'word' | 'not-word' }
export type How = 'greedy' | 'lazy' | 'possessive'

interface Flags {
  readonly ignoreCase: boolean
  readonly multiLine: boolean
  readonly dotAll: boolean
  readonly spaced: boolean
}

export class PatternError extends Error {
  override name = 'PatternError'
}

const MOST_REPEATS = 1000
const DEEPEST = 50

export function parsePattern(pattern: string): Node {
  const reader = new Reader([...pattern])
  const node = reader.choice({ ignoreCase: false, multiLine: false, dotAll: false, spaced: false }, 0)
  if (!reader.done) throw new PatternError('There is a ")" without "(".')
  return node
}

class Reader {
  readonly #text: readonly string[]
  #at = 0
  #groups = 0
  readonly #names = new Map<string, number>()

  constructor(text: readonly string[]) {
    this.#text = text
  }

  get done(): boolean {
    return this.#at >= this.#text.length
  }

  choice(given: Flags, depth: number): Node {
    if (depth > DEEPEST) throw new PatternError('The pattern is nested too deeply.')
    let flags = given
    const choices: Node[][] = [[]]
    while (!this.done && this.#peek() !== ')') {
      const last = choices.at(-1) as Node[]
      const changed = this.#inlineFlags(flags)
      if (changed) flags = changed
      else if (this.#take('|')) choices.push([])
      else if (flags.spaced && this.#skipSpace()) continue
      else last.push(this.#repeated(this.#atom(flags, depth)))
    }
    const nodes = choices.map(
      (list): Node => (list.length === 1 ? (list[0] as Node) : { kind: 'sequence', nodes: list }),
    )
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: 'choice', nodes }
  }

  #atom(flags: Flags, depth: number): Node {
    const char = this.#next()
    switch (char) {
      case '(':
        return this.#group(flags, depth)
      case '[':
        return { kind: 'char', test: this.#class(flags) }
      case '.':
        return { kind: 'char', test: flags.dotAll ? () => true : (code) => code !== 10 }
      case '^':
        return { kind: 'at', place: flags.multiLine ? 'line-start' : 'start' }
      case '$':
        return { kind: 'at', place: flags.multiLine ? 'line-end' : 'end' }
      case '\\':
        return this.#escape(flags)
      case '*':
      case '+':
      case '?':
        throw new PatternError(`There is nothing before "${char}" to repeat.`)
    }
    return { kind: 'char', test: classTest(char, flags.ignoreCase) }
  }

  #repeated(node: Node): Node {
    const counts = this.#counts()
    if (counts === null) return node
    if (node.kind === 'at') throw new PatternError('A place cannot be repeated.')
    const how: How = this.#take('?') ? 'lazy' : this.#take('+') ? 'possessive' : 'greedy'
    return this.#repeated({ kind: 'repeat', node, min: counts[0], max: counts[1], how })
  }

  #counts(): [number, number] | null {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#take('?')) return [0, 1]
    if (this.#peek() !== '{') return null
    const given = /^\{(\d{1,6})(?:(,)(\d{0,6}))?\}/.exec(this.#text.slice(this.#at, this.#at + 20).join(''))
    if (given === null) return null
    this.#at += given[0].length
    const min = Number(given[1])
    const max = given[2] === undefined ? min : given[3] === '' ? Number.POSITIVE_INFINITY : Number(given[3])
    if (max < min || min > MOST_REPEATS || (max > MOST_REPEATS && max !== Number.POSITIVE_INFINITY))
      throw new PatternError(`${given[0]} is no count of at most ${MOST_REPEATS}.`)
    return [min, max]
  }

  #group(flags: Flags, depth: number): Node {
    const finish = (make: (node: Node) => Node): Node => {
      const node = this.choice(flags, depth + 1)
      if (!this.#take(')')) throw new PatternError('A "(" is not closed.')
      return make(node)
    }
    const look = (ahead: boolean, wanted: boolean) => finish((node) => ({ kind: 'look', node, ahead, wanted }))
    if (this.#takeAll('?:')) return finish((node) => node)
    if (this.#takeAll('?=')) return look(true, true)
    if (this.#takeAll('?!')) return look(true, false)
    if (this.#takeAll('?<=')) return look(false, true)
    if (this.#takeAll('?<!')) return look(false, false)
    if (this.#takeAll('?>')) return finish((node) => ({ kind: 'atomic', node }))
    const scoped = this.#scopedFlags(flags)
    if (scoped) {
      const node = this.choice(scoped, depth + 1)
      if (!this.#take(')')) throw new PatternError('A "(" is not closed.')
      return node
    }
    const index = ++this.#groups
    if (this.#takeAll('?P<') || this.#takeAll('?<')) this.#names.set(this.#nameUntil('>'), index)
    else if (this.#peek() === '?') throw new PatternError('This kind of group is not known.')
    return finish((node) => ({ kind: 'group', node, index }))
  }

  /** (?i) for the rest of the group. */
  #inlineFlags(flags: Flags): Flags | undefined {
    const given = /^\(\?([imsxu]*)(?:-([imsxu]+))?\)/.exec(this.#text.slice(this.#at, this.#at + 16).join(''))
    if (given === null || given[0] === '(?)') return undefined
    this.#at += given[0].length
    return changed(flags, given[1] ?? '', given[2] ?? '')
  }

  /** (?i:...) */
  #scopedFlags(flags: Flags): Flags | undefined {
    const given = /^\?([imsxu]*)(?:-([imsxu]+))?:/.exec(this.#text.slice(this.#at, this.#at + 16).join(''))
    if (given === null) return undefined
    this.#at += given[0].length
    return changed(flags, given[1] ?? '', given[2] ?? '')
  }

  #escape(flags: Flags): Node {
    const char = this.#next()
    if (/[1-9]/.test(char)) {
      let digits = char
      while (/\d/.test(this.#peek() ?? '')) digits += this.#next()
      return { kind: 'again', index: Number(digits), ignoreCase: flags.ignoreCase }
    }
    switch (char) {
      case 'A':
        return { kind: 'at', place: 'start' }
      case 'z':
      case 'Z':
        return { kind: 'at', place: 'end' }
      case 'b':
        return { kind: 'at', place: 'word' }
      case 'B':
        return { kind: 'at', place: 'not-word' }
      case 'k': {
        if (!this.#take('<')) throw new PatternError('After \\k comes a name in <>.')
        const index = this.#names.get(this.#nameUntil('>'))
        if (index === undefined) throw new PatternError('No group has that name.')
        return { kind: 'again', index, ignoreCase: flags.ignoreCase }
      }
    }
    return { kind: 'char', test: this.#charEscape(char, flags) }
  }

  #charEscape(char: string, flags: Flags): CharTest {
    if (char === 'p' || char === 'P') {
      const name = this.#take('{') ? this.#nameUntil('}') : this.#next()
      const test = propertyTest(name)
      if (!test) throw new PatternError(`\\p{${name}} is not known.`)
      return char === 'P' ? (code) => !test(code) : test
    }
    if (char === 'x' || char === 'u') return classTest(this.#hex(char === 'x' ? 2 : 4), flags.ignoreCase)
    const test = escapeTest(char, flags.ignoreCase)
    if (!test) throw new PatternError(`\\${char} is not known.`)
    return test
  }

  #hex(digits: number): string {
    const text = this.#take('{') ? this.#nameUntil('}') : Array.from({ length: digits }, () => this.#next()).join('')
    const code = /^[\da-fA-F]{1,6}$/.test(text) ? Number.parseInt(text, 16) : Number.NaN
    if (!(code <= 0x10ffff)) throw new PatternError(`${text} is no character.`)
    return String.fromCodePoint(code)
  }

  #class(flags: Flags): CharTest {
    const negated = this.#take('^')
    const tests: CharTest[] = []
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.done) throw new PatternError('A "[" is not closed.')
      const posix = /^\[:(\^?)(\w+):\]/.exec(this.#text.slice(this.#at, this.#at + 16).join(''))
      if (posix !== null) {
        this.#at += posix[0].length
        const test = posixTest(posix[2] as string)
        if (!test) throw new PatternError(`${posix[0]} is not known.`)
        tests.push(posix[1] === '^' ? (code) => !test(code) : test)
      } else if (this.#take('[')) tests.push(this.#class(flags))
      else if (['&&', '--', '~~'].some((operation) => this.#isNext(operation)))
        throw new PatternError('Operations between classes are not supported.')
      else tests.push(this.#classItem(flags))
    }
    this.#next()
    const any: CharTest = (code) => tests.some((test) => test(code))
    return negated ? (code) => !any(code) : any
  }

  #classItem(flags: Flags): CharTest {
    const from = this.#classChar(flags)
    const [dash, after] = [this.#peek(), this.#text[this.#at + 1]]
    if (typeof from !== 'string' || dash !== '-' || after === ']' || after === undefined)
      return typeof from === 'string' ? classTest(from, flags.ignoreCase) : from
    this.#next()
    const to = this.#classChar(flags)
    if (typeof to !== 'string' || to < from) throw new PatternError('A range of characters is in the wrong order.')
    return classTest(from, flags.ignoreCase, to)
  }

  /** A character, or a test for several. */
  #classChar(flags: Flags): string | CharTest {
    const char = this.#next()
    if (char !== '\\') return char
    const escaped = this.#next()
    if (escaped === 'b') return '\b'
    if (escaped === 'x' || escaped === 'u') return this.#hex(escaped === 'x' ? 2 : 4)
    if (/[\x20-\x2f:-@[-`{-~]/.test(escaped)) return escaped
    return this.#charEscape(escaped, flags)
  }

  #nameUntil(end: string): string {
    let name = ''
    for (let char = this.#next(); char !== end; char = this.#next()) name += char
    return name
  }

  #skipSpace(): boolean {
    if (this.#take('#')) {
      while (!this.done && this.#peek() !== '\n') this.#at++
      return true
    }
    if (!/\s/.test(this.#peek() ?? '')) return false
    this.#at++
    return true
  }

  #peek(): string | undefined {
    return this.#text[this.#at]
  }

  #next(): string {
    const char = this.#text[this.#at++]
    if (char === undefined) throw new PatternError('The pattern ends too early.')
    return char
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #isNext(text: string): boolean {
    return [...text].every((char, offset) => this.#text[this.#at + offset] === char)
  }

  #takeAll(text: string): boolean {
    // (?<= and (?<! are no names.
    if (text === '?<' && (this.#isNext('?<=') || this.#isNext('?<!'))) return false
    if (!this.#isNext(text)) return false
    this.#at += text.length
    return true
  }
}

function changed(flags: Flags, on: string, off: string): Flags {
  const now = (letter: string, before: boolean) => (off.includes(letter) ? false : on.includes(letter) || before)
  return {
    ignoreCase: now('i', flags.ignoreCase),
    multiLine: now('m', flags.multiLine),
    dotAll: now('s', flags.dotAll),
    spaced: now('x', flags.spaced),
  }
}
