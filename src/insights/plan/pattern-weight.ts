/**
 * How much work a regular expression can make for each character of a text: about as many steps as the pattern has once
 * its counted repetitions are written out. The engine does not look whether a question was stopped while it matches, so
 * heavy ones are refused.
 */
import { InvalidQuery, type Path } from '../../lib/invalid-input.ts'

const MOST_STEPS = 500
/** A class of letters of all scripts is many ranges of bytes. */
const STEPS_OF_SCRIPTS = 20

/** Longer than anything that is let through. */
const BEYOND = 1_000_000

export function refuseHeavyPattern(pattern: string, path: Path): void {
  const steps = pattern.length > 2 * MOST_STEPS ? pattern.length : stepsOf(pattern)
  if (steps <= MOST_STEPS) return
  const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}...` : pattern
  throw new InvalidQuery(
    `The regular expression ${JSON.stringify(shown)} has ${steps >= BEYOND ? 'too many' : steps} steps when its repetitions are written out; the limit is ${MOST_STEPS}: use * or + instead of large counts, or split it.`,
    path,
  )
}

const ATOM =
  /\\[pP](?:\{[^}]*\}|.)|\\x\{[0-9a-fA-F]*\}|\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:[a-z^]*:\]|[^\]\\])*\]|[\s\S]/y
const COUNT = /\{(\d+)(?:,(\d*))?\}/y

export function stepsOf(pattern: string): number {
  /** Steps of each open group, and those of what was read last in it. */
  const groups: { total: number; last: number }[] = [{ total: 0, last: 0 }]
  const top = () => groups[groups.length - 1] ?? { total: 0, last: 0 }
  for (let at = 0; at < pattern.length; ) {
    const times = countAt(pattern, at)
    if (times !== undefined) {
      const group = top()
      const more = group.last * Math.max(times.most - 1, 0)
      group.total = Math.min(group.total + more, BEYOND)
      group.last = Math.min(group.last + more, BEYOND)
      at += times.length
      continue
    }
    ATOM.lastIndex = at
    const atom = ATOM.exec(pattern)?.[0] ?? (pattern[at] as string)
    at += atom.length
    if (atom === '(') groups.push({ total: 1, last: 0 })
    else if (atom === ')' && groups.length > 1) {
      const { total } = groups.pop() ?? { total: 0 }
      const group = top()
      group.last = total
      group.total = Math.min(group.total + total, BEYOND)
    } else if (!/^[*+?|]$/.test(atom)) {
      const steps = /\\[pP]/.test(atom) ? STEPS_OF_SCRIPTS : atom.startsWith('\\Q') ? atom.length : 1
      const group = top()
      group.last = steps
      group.total = Math.min(group.total + steps, BEYOND)
    }
  }
  return Math.min(
    groups.reduce((sum, { total }) => sum + total, 0),
    BEYOND,
  )
}

function countAt(pattern: string, at: number): { most: number; length: number } | undefined {
  COUNT.lastIndex = at
  const found = COUNT.exec(pattern)
  if (!found) return undefined
  return { most: Number(found[2] || found[1]), length: found[0].length }
}
