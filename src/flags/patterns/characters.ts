/** Which characters a part of a regular expression stands for. Characters are code points. */
export type CharTest = (code: number) => boolean

const fold = (code: number): number =>
  code < 128
    ? code >= 65 && code <= 90
      ? code + 32
      : code
    : (String.fromCodePoint(code).toLowerCase().codePointAt(0) ?? code)
const upper = (code: number): number => String.fromCodePoint(code).toUpperCase().codePointAt(0) ?? code

export const sameLetter = (a: number, b: number): boolean => a === b || fold(a) === fold(b)

/** One character, or all of a range. */
export function classTest(from: string, ignoreCase: boolean, to = from): CharTest {
  const low = from.codePointAt(0) ?? 0
  const high = to.codePointAt(0) ?? 0
  if (low === high) return ignoreCase ? (code) => sameLetter(code, low) : (code) => code === low
  const within: CharTest = (code) => code >= low && code <= high
  return ignoreCase ? (code) => within(code) || within(fold(code)) || within(upper(code)) : within
}

const beyondAscii =
  (pattern: RegExp): CharTest =>
  (code) =>
    pattern.test(String.fromCodePoint(code))
const otherDigit = beyondAscii(/\p{Nd}/u)
const otherWord = beyondAscii(/[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u)
const otherSpace = beyondAscii(/\p{White_Space}/u)

const isDigit: CharTest = (code) => (code < 128 ? code >= 48 && code <= 57 : otherDigit(code))
export const isWord: CharTest = (code) =>
  code < 128
    ? (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
    : otherWord(code)
const isSpace: CharTest = (code) => (code < 128 ? code === 32 || (code >= 9 && code <= 13) : otherSpace(code))
const isHex: CharTest = (code) =>
  (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)

const ESCAPES: Readonly<Record<string, CharTest>> = {
  d: isDigit,
  D: (code) => !isDigit(code),
  w: isWord,
  W: (code) => !isWord(code),
  s: isSpace,
  S: (code) => !isSpace(code),
  h: isHex,
  H: (code) => !isHex(code),
}
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  a: '\x07',
  e: '\x1b',
  '0': '\0',
}

/** What a backslash makes of a character; undefined when nothing is known of it. */
export function escapeTest(char: string, ignoreCase: boolean): CharTest | undefined {
  const known = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined
  if (known) return known
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined
  if (control !== undefined) return classTest(control, false)
  return /[A-Za-z0-9]/.test(char) ? undefined : classTest(char, ignoreCase)
}

const POSIX: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /\d/,
  alnum: /[A-Za-z\d]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  blank: /[\t ]/,
  xdigit: /[\dA-Fa-f]/,
  word: /\w/,
}

export function posixTest(name: string): CharTest | undefined {
  const pattern = Object.hasOwn(POSIX, name) ? POSIX[name] : undefined
  return pattern && beyondAscii(pattern)
}

/** \p{Greek}, \p{Lu}. */
export function propertyTest(name: string): CharTest | undefined {
  if (!/^[\w=]{1,40}$/.test(name)) return undefined
  for (const spelling of [name, `Script=${name}`])
    try {
      return beyondAscii(new RegExp(`\\p{${spelling}}`, 'u'))
    } catch {
      // Not this spelling.
    }
  return undefined
}
