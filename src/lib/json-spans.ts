/**
 * Scans JSON text without parsing it: finds where a value ends and the members of an object. Several times faster than
 * JSON.parse, and allocates nothing; for text that is passed on unchanged, of which only a few values are needed.
 *
 * Exactly what JSON.parse accepts is accepted (given valid UTF-8), except for text that is nested deeper than DEEPEST.
 */
export class NotJson extends Error {
  override name = 'NotJson'
}

/** Deeper than any page; JSON.stringify must be able to handle it later. */
const DEEPEST = 2_000

const TAB = 0x09
const LINE_FEED = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const BACKSLASH = 0x5c
const LOWER_U = 0x75
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const table = (codes: Iterable<number>): Uint8Array => {
  const set = new Uint8Array(256)
  for (const code of codes) set[code] = 1
  return set
}
const codesOf = (text: string): number[] => [...text].map((character) => character.charCodeAt(0))

/** Any integer of this many digits is an exact double. */
const MOST_EXACT_DIGITS = 15

/** Bytes that need no escape in a string. */
const PLAIN = table(Array.from({ length: 256 }, (_, code) => code).filter((code) => code >= SPACE))
PLAIN[QUOTE] = 0
PLAIN[BACKSLASH] = 0
const ESCAPED = table(codesOf('"\\/bfnrt'))
const HEX = table(codesOf('0123456789abcdefABCDEF'))

const LITERALS: Readonly<Record<number, Uint8Array>> = Object.fromEntries(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Uint8Array.from(codesOf(word))]),
)

/** Which of the enclosing containers are objects. One scan runs at a time, so one buffer is enough. */
const inObject = new Uint8Array(DEEPEST)

/** Where the value that begins at `at` (after blanks) ends. */
export function endOfValue(bytes: Uint8Array, at: number): number {
  let depth = 0
  for (;;) {
    at = afterBlanks(bytes, at)
    const code = bytes[at] as number
    let opened = false
    if (code === QUOTE) at = endOfString(bytes, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      at = afterBlanks(bytes, at + 1)
      if (bytes[at] === (code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) at++
      else {
        if (depth === DEEPEST) throw new NotJson(`nested deeper than ${DEEPEST}`)
        inObject[depth++] = code === OPEN_BRACE ? 1 : 0
        opened = true
      }
    } else at = endOfScalar(bytes, at, code)

    // After a value: continue in the enclosing containers.
    while (!opened) {
      if (depth === 0) return at
      at = afterBlanks(bytes, at)
      const next = bytes[at++]
      if (next === COMMA) break
      if (next !== (inObject[depth - 1] === 1 ? CLOSE_BRACE : CLOSE_BRACKET)) throw unexpected(bytes, at - 1)
      depth--
    }
    if (inObject[depth - 1] === 1) at = afterColon(bytes, endOfKey(bytes, afterBlanks(bytes, at)))
  }
}

/**
 * Calls back for each value of the array at `at`; the callback returns where its value ends. Returns where the array
 * ends.
 */
export function walkArray(bytes: Uint8Array, at: number, visit: (at: number) => number): number {
  at = afterBlanks(bytes, expect(bytes, at, OPEN_BRACKET))
  if (bytes[at] === CLOSE_BRACKET) return at + 1
  for (;;) {
    at = afterBlanks(bytes, visit(at))
    if (bytes[at] === CLOSE_BRACKET) return at + 1
    at = afterBlanks(bytes, expect(bytes, at, COMMA))
  }
}

/**
 * Calls back for each member of the object at `at`, with its name and where its value (and its name) begins; as above.
 */
export function walkObject(
  bytes: Buffer,
  at: number,
  visit: (name: string, at: number, nameAt: number) => number,
): number {
  at = afterBlanks(bytes, expect(bytes, at, OPEN_BRACE))
  if (bytes[at] === CLOSE_BRACE) return at + 1
  for (;;) {
    const end = endOfKey(bytes, at)
    const name = nameIn(bytes, at, end)
    at = afterBlanks(bytes, visit(name, afterBlanks(bytes, afterColon(bytes, end)), at))
    if (bytes[at] === CLOSE_BRACE) return at + 1
    at = afterBlanks(bytes, expect(bytes, at, COMMA))
  }
}

export const startsObject = (bytes: Uint8Array, at: number): boolean => bytes[at] === OPEN_BRACE
export const startsArray = (bytes: Uint8Array, at: number): boolean => bytes[at] === OPEN_BRACKET
export const startsString = (bytes: Uint8Array, at: number): boolean => bytes[at] === QUOTE

/** The number from `at` to `end`, when it is one. */
export function numberAt(bytes: Buffer, at: number, end: number): number | undefined {
  const code = bytes[at] as number
  if (code !== MINUS && !isDigit(code)) return undefined
  return wholeNumberAt(bytes, at, end) ?? Number(bytes.toString('latin1', at, end))
}

/** Times and kinds are digits only, and few enough to add up without making a text of them. */
function wholeNumberAt(bytes: Buffer, at: number, end: number): number | undefined {
  if (end - at > MOST_EXACT_DIGITS) return undefined
  let value = 0
  for (let i = at; i < end; i++) {
    const code = bytes[i] as number
    if (!isDigit(code)) return undefined
    value = value * 10 + (code - ZERO)
  }
  return value
}

/** Generated JSON has no white space between tokens, so one check is usually enough. */
export function afterBlanks(bytes: Uint8Array, at: number): number {
  let code = bytes[at] as number
  if (code > SPACE) return at
  while (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) code = bytes[++at] as number
  return at
}

function nameIn(bytes: Buffer, at: number, end: number): string {
  for (let i = at + 1; i < end - 1; i++) {
    const code = bytes[i] as number
    if (code === BACKSLASH || code >= 0x80) return JSON.parse(bytes.toString('utf8', at, end))
  }
  return bytes.toString('latin1', at + 1, end - 1)
}

function endOfKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) throw unexpected(bytes, at)
  return endOfString(bytes, at)
}

const afterColon = (bytes: Uint8Array, at: number): number => expect(bytes, afterBlanks(bytes, at), COLON)

function expect(bytes: Uint8Array, at: number, code: number): number {
  if (bytes[at] !== code) throw unexpected(bytes, at)
  return at + 1
}

/** `at` is the quote that opens it. */
function endOfString(bytes: Uint8Array, at: number): number {
  at++
  for (;;) {
    while (PLAIN[bytes[at] as number] === 1) at++
    const code = bytes[at]
    if (code === QUOTE) return at + 1
    if (code !== BACKSLASH) throw unexpected(bytes, at)
    const escaped = bytes[at + 1] as number
    if (ESCAPED[escaped] === 1) at += 2
    else if (escaped === LOWER_U && isHex(bytes, at + 2)) at += 6
    else throw unexpected(bytes, at)
  }
}

const isHex = (bytes: Uint8Array, at: number): boolean =>
  HEX[bytes[at] as number] === 1 &&
  HEX[bytes[at + 1] as number] === 1 &&
  HEX[bytes[at + 2] as number] === 1 &&
  HEX[bytes[at + 3] as number] === 1

function endOfScalar(bytes: Uint8Array, at: number, code: number): number {
  if (code === MINUS || isDigit(code)) return endOfNumber(bytes, at)
  const word = LITERALS[code]
  if (!word) throw unexpected(bytes, at)
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) throw unexpected(bytes, at)
  return at + word.length
}

function endOfNumber(bytes: Uint8Array, at: number): number {
  if (bytes[at] === MINUS) at++
  at = bytes[at] === ZERO ? at + 1 : afterDigits(bytes, at)
  if (bytes[at] === DOT) at = afterDigits(bytes, at + 1)
  // Upper-case and lower-case letters differ in this bit.
  if (((bytes[at] as number) | 0x20) !== 0x65) return at
  const sign = bytes[at + 1]
  return afterDigits(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1)
}

/** At least one of them. */
function afterDigits(bytes: Uint8Array, at: number): number {
  if (!isDigit(bytes[at] as number)) throw unexpected(bytes, at)
  do at++
  while (isDigit(bytes[at] as number))
  return at
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

const unexpected = (bytes: Uint8Array, at: number): NotJson =>
  new NotJson(at < bytes.length ? `unexpected byte ${bytes[at]} at ${at}` : 'the text ends too early')
