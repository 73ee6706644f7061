/**
 * Searches a text for a regular expression, and gives up after so many steps: patterns are written by one person and
 * texts are sent by anybody, and some pairs of them would take JavaScript's own engine for ever.
 */
import { isWord, sameLetter } from './characters.ts'
import { type Node, PatternError, parsePattern } from './parse.ts'

const STEPS = 20_000
const STEPS_EACH_CHARACTER = 10

interface Run {
  readonly text: readonly number[]
  /** Start and end of each group. */
  readonly groups: (readonly [number, number] | undefined)[]
  steps: number
}

/** Tries to go on from here; -1 when that is not possible, else where it ended. */
type Go = (at: number, run: Run) => number
type Step = (next: Go) => Go

export class TooManySteps extends Error {
  override name = 'TooManySteps'
}

/** Whether the pattern is somewhere in the text. Throws TooManySteps. */
export type Pattern = (text: string, left?: { steps: number }) => boolean

/** Throws PatternError when it cannot be read. */
export function compilePattern(pattern: string): Pattern {
  const go = stepOf(parsePattern(pattern), false)((at) => at)
  return (text, left) => {
    const allowed = Math.min(STEPS + text.length * STEPS_EACH_CHARACTER, left?.steps ?? Number.POSITIVE_INFINITY)
    const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0)
    const run: Run = { text: codes, groups: [], steps: allowed }
    try {
      for (let start = 0; start <= codes.length; start++) {
        run.groups.length = 0
        if (go(start, run) >= 0) return true
      }
    } catch (error) {
      // Recursion that is too deep is the same as too many steps.
      throw error instanceof RangeError ? new TooManySteps() : error
    } finally {
      if (left) left.steps -= allowed - run.steps
    }
    return false
  }
}

const spend = (run: Run): void => {
  if (--run.steps < 0) throw new TooManySteps()
}

/** `back`: inside a lookbehind, which is matched from right to left. */
function stepOf(node: Node, back: boolean): Step {
  switch (node.kind) {
    case 'char':
      return (next) => (at, run) => {
        spend(run)
        const code = run.text[back ? at - 1 : at]
        return code !== undefined && node.test(code) ? next(back ? at - 1 : at + 1, run) : -1
      }
    case 'sequence': {
      const steps = node.nodes.map((each) => stepOf(each, back))
      if (!back) steps.reverse()
      return (next) => steps.reduce((then, step) => step(then), next)
    }
    case 'choice': {
      const steps = node.nodes.map((each) => stepOf(each, back))
      return (next) => {
        const ways = steps.map((step) => step(next))
        return (at, run) => {
          for (const way of ways) {
            spend(run)
            const end = way(at, run)
            if (end >= 0) return end
          }
          return -1
        }
      }
    }
    case 'repeat':
      return repeatStep(node, back)
    case 'group':
      return groupStep(stepOf(node.node, back), node.index, back)
    case 'atomic': {
      const inner = stepOf(node.node, back)((at) => at)
      return (next) => (at, run) => {
        const end = inner(at, run)
        return end < 0 ? -1 : next(end, run)
      }
    }
    case 'look': {
      const inner = stepOf(node.node, !node.ahead)((at) => at)
      return (next) => (at, run) => {
        spend(run)
        return inner(at, run) >= 0 === node.wanted ? next(at, run) : -1
      }
    }
    case 'again':
      return againStep(node.index, node.ignoreCase, back)
    case 'at':
      return (next) => (at, run) => (isAt(node.place, at, run.text) ? next(at, run) : -1)
  }
}

type Repeat = Extract<Node, { kind: 'repeat' }>

function repeatStep({ node, min, max, how }: Repeat, back: boolean): Step {
  if (node.kind === 'char') return repeatedChar(node.test, min, max, how, back)
  const inner = stepOf(node, back)
  const looped = (next: Go): Go => {
    const tryFrom = (count: number, before: number): Go => {
      const more = () => inner((end, run) => (end === before && count >= min ? -1 : tryFrom(count + 1, end)(end, run)))
      return (at, run) => {
        spend(run)
        if (count < min) return more()(at, run)
        if (how === 'lazy') {
          const end = next(at, run)
          return end >= 0 || count >= max ? end : more()(at, run)
        }
        const end = count < max ? more()(at, run) : -1
        return end >= 0 ? end : next(at, run)
      }
    }
    return (at, run) => tryFrom(0, at)(at, run)
  }
  if (how !== 'possessive') return looped
  const whole = looped((at) => at)
  return (next) => (at, run) => {
    const end = whole(at, run)
    return end < 0 ? -1 : next(end, run)
  }
}

/** Without recursion: most patterns repeat single characters. */
function repeatedChar(
  test: (code: number) => boolean,
  min: number,
  max: number,
  how: Repeat['how'],
  back: boolean,
): Step {
  const by = back ? -1 : 1
  return (next) => (at, run) => {
    const { text } = run
    let count = 0
    const isMore = () => {
      spend(run)
      const code = text[back ? at - count - 1 : at + count]
      return count < max && code !== undefined && test(code)
    }
    if (how === 'lazy') {
      for (; ; count++) {
        const end = count >= min ? next(at + by * count, run) : -1
        if (end >= 0 || !isMore()) return end
      }
    }
    while (isMore()) count++
    if (how === 'possessive') return count < min ? -1 : next(at + by * count, run)
    for (; count >= min; count--) {
      spend(run)
      const end = next(at + by * count, run)
      if (end >= 0) return end
    }
    return -1
  }
}

function groupStep(inner: Step, index: number, back: boolean): Step {
  return (next) => (start, run) => {
    const before = run.groups[index]
    const end = inner((at, again) => {
      const outer = again.groups[index]
      again.groups[index] = back ? [at, start] : [start, at]
      const found = next(at, again)
      if (found < 0) again.groups[index] = outer
      return found
    })(start, run)
    if (end < 0) run.groups[index] = before
    return end
  }
}

function againStep(index: number, ignoreCase: boolean, back: boolean): Step {
  return (next) => (at, run) => {
    const group = run.groups[index]
    if (group === undefined) return -1
    const length = group[1] - group[0]
    const from = back ? at - length : at
    for (let offset = 0; offset < length; offset++) {
      spend(run)
      const [code, wanted] = [run.text[from + offset], run.text[group[0] + offset] as number]
      if (code === undefined || !(ignoreCase ? sameLetter(code, wanted) : code === wanted)) return -1
    }
    return next(back ? from : from + length, run)
  }
}

function isAt(place: Extract<Node, { kind: 'at' }>['place'], at: number, text: readonly number[]): boolean {
  const before = text[at - 1]
  const after = text[at]
  switch (place) {
    case 'start':
      return at === 0
    case 'end':
      return at === text.length
    case 'line-start':
      return before === undefined || before === 10
    case 'line-end':
      return after === undefined || after === 10
  }
  const edge = (before !== undefined && isWord(before)) !== (after !== undefined && isWord(after))
  return place === 'word' ? edge : !edge
}

/** What is wrong with a pattern, or null. */
export function wrongInPattern(pattern: string): string | null {
  try {
    compilePattern(pattern)
    return null
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}
