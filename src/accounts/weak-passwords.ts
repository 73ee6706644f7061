import { COMMON_WORDS } from './common-words.ts'

/**
 * Whether a password is easy to guess. Lists of leaked passwords are mostly variations of a few words, so a password is
 * reduced to its word first: "P@ssw0rd!", "password2024" and "123password" are all "password". Also weak: one character
 * or a short text repeated, characters in the order of the keyboard or the alphabet, and the user's own name or e-mail.
 */
export const SHORTEST_PASSWORD = 8

export function isCommonPassword(password: string, about: readonly string[] = []): boolean {
  const lower = password.toLowerCase()
  const core = bare(lower)
  const letters = bare(unmasked(lower))
  const candidates = [lower, core, unmasked(core), unmasked(lower), letters]
  if (candidates.some((text) => isRepeated(text) || isSequence(text))) return true
  if (candidates.some((text) => madeOfWords(text))) return true
  return about.flatMap(namesIn).some((name) => candidates.includes(name) || bare(lower.replace(name, '')).length < 3)
}

/** Signs that stand for letters in passwords. */
const MASKS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const unmasked = (text: string): string => text.replace(/[013457@$!]/g, (sign) => MASKS[sign] ?? sign)

/** Without the digits and signs around it. */
const bare = (text: string): string => text.replace(/^[^a-z]+|[^a-z]+$/g, '')

const isRepeated = (text: string): boolean => text.length > 0 && /^(.{1,4}?)\1+$/.test(text)

const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
]
const BOTH_WAYS = ROWS.flatMap((row) => [row, [...row].reverse().join('')])

/** Made of runs of at least three neighbours, such as "qwertyuiop", "abc12345" or "asdfqwer". */
function isSequence(text: string): boolean {
  let rest = text
  while (rest.length > 0) {
    const run = longestRun(rest)
    if (run < 3) return false
    rest = rest.slice(run)
  }
  return text.length > 0
}

function longestRun(text: string): number {
  for (let length = text.length; length >= 3; length--)
    if (BOTH_WAYS.some((row) => row.includes(text.slice(0, length)))) return length
  return 0
}

/** One common word, or two of them. */
function madeOfWords(text: string): boolean {
  if (COMMON_WORDS.has(text)) return true
  for (let at = 2; at <= text.length - 2; at++)
    if (COMMON_WORDS.has(text.slice(0, at)) && COMMON_WORDS.has(text.slice(at))) return true
  return false
}

const namesIn = (text: string): string[] => {
  const lower = text.toLowerCase()
  return [lower, lower.split('@')[0] ?? ''].filter((name) => name.length >= 4)
}
