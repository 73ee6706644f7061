/**
 * Functions whose work is not bounded by what they read: the engine looks whether a question was stopped between two
 * blocks, never within a call, so what one call may do is bounded here. A bound that only the values can break is
 * written into the statement, as a condition that the bounded argument depends on: the engine cannot do the work first.
 */
import { Fragment, Param, sql } from '../../engines/clickhouse-sql.ts'
import { refuseHeavyPattern } from '../plan/pattern-weight.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'
import { isAggregate, knownFunction } from './functions.ts'

export interface Argument {
  readonly written: Expression
  readonly value: Fragment
}

/** Every item of one list is compared with every item of the other. */
const PAIRWISE = new Set(['hasAll', 'hasAny'])
const MOST_PAIRS = 100_000
/** One value is looked for in a list, item by item. */
const SCANNING = new Set(['has', 'indexOf', 'countEqual'])
const MOST_SCANNED = 10_000
const MOST_SCANNED_IN_LAMBDA = 100
/** More than a pass through the list. */
const SORTING = new Set([
  'arraySort',
  'arrayReverseSort',
  'arrayDistinct',
  'arrayUniq',
  'arrayIntersect',
  'arrayReduce',
])
const MOST_SORTED = 1_000_000
/** Where the pattern stands, and the text before it. */
const MATCHING = new Set([
  'match',
  'extract',
  'extractAll',
  'replaceRegexpOne',
  'replaceRegexpAll',
  'splitByRegexp',
  'multiMatchAny',
])
const MOST_MATCHED = 100_000
/** Of a list whose items are given to a function that is itself bounded. */
const MOST_ITEMS_OF_COSTLY_LAMBDA = 1_000

const COSTLY = new Set([...PAIRWISE, ...SCANNING, ...SORTING, ...MATCHING])

const MOST_CALLS = 1_000
const MOST_COSTLY_CALLS = 100

/** What the calls of one statement add up to. */
export class CallBudget {
  #calls = 0
  #costly = 0

  count(name: string): void {
    if (++this.#calls > MOST_CALLS)
      throw sqlError(`The query calls functions more than ${MOST_CALLS} times: ask for less at once.`)
    if (isCostly(name) && ++this.#costly > MOST_COSTLY_CALLS)
      throw sqlError(
        `The query calls functions over lists, patterns and documents (${name}) more than ${MOST_COSTLY_CALLS} times: ask for less at once.`,
      )
  }
}

const isCostly = (name: string): boolean => COSTLY.has(name) || /^(array|JSON|splitBy|multiSearch|ngram)/.test(name)

/** The arguments of a call, with its bounds written into them. */
export function boundedArguments(name: string, args: readonly Argument[], inLambda: boolean): Fragment[] {
  const values = args.map(({ value }) => value)
  if (PAIRWISE.has(name)) return bounded(values, 0, pairs(name, values))
  if (SCANNING.has(name)) {
    const most = inLambda ? MOST_SCANNED_IN_LAMBDA : MOST_SCANNED
    const [list] = args
    if (list?.written.kind === 'array' && list.written.items.length <= most) return values
    return bounded(values, 0, list && tooLong(name, list.value, most, inLambda ? ' inside a lambda' : ''))
  }
  if (MATCHING.has(name)) return matching(name, args)
  if (name === 'arrayReduce') refuseUnknownReducer(args[0])
  const first = args.findIndex(({ written }) => written.kind !== 'lambda')
  const list = args[first]
  if (SORTING.has(name) && name !== 'arrayReduce' && list)
    return bounded(values, first, tooLong(name, list.value, MOST_SORTED))
  const lambda = args.find(({ written }) => written.kind === 'lambda')
  if (lambda && list && holdsCostly(lambda.written))
    return bounded(values, first, tooLong(name, list.value, MOST_ITEMS_OF_COSTLY_LAMBDA, ' with such a lambda'))
  return values
}

interface Bound {
  readonly isBroken: Fragment
  readonly words: string
}

/** The list at `place`, cut from its first item on: where that is can only be said when the bound holds. */
function bounded(values: readonly Fragment[], place: number, bound: Bound | undefined): Fragment[] {
  if (bound === undefined) return [...values]
  return values.map((value, i) =>
    i === place ? sql`arraySlice(${value}, 1 + throwIf(${bound.isBroken}, ${text(bound.words)}))` : value,
  )
}

const tooLong = (name: string, list: Fragment, most: number, where = ''): Bound => ({
  isBroken: sql`length(${list}) > ${plainNumber(most)}`,
  words: `${name}${where} takes lists of up to ${most} items: make the list shorter`,
})

const pairs = (name: string, [a, b]: readonly Fragment[]): Bound | undefined =>
  a &&
  b && {
    isBroken: sql`length(${a}) * length(${b}) > ${plainNumber(MOST_PAIRS)}`,
    words: `${name} compares up to ${MOST_PAIRS} pairs of items: make the lists shorter`,
  }

function matching(name: string, args: readonly Argument[]): Fragment[] {
  const [patternAt, textAt] = name === 'splitByRegexp' ? [0, 1] : [1, 0]
  const pattern = args[patternAt]
  const subject = args[textAt]
  if (pattern) for (const each of patternsIn(pattern, name)) refuseHeavyPattern(each, ['query'])
  return args.map(({ value, written }, i) => {
    // What stands in a table is as long as an event may be; what a query makes may be as long as memory.
    if (i !== textAt || !subject || written.kind === 'name' || written.kind === 'string') return value
    const words = `${name} takes computed texts of up to ${MOST_MATCHED} bytes: make the text shorter`
    const broken = sql`length(assumeNotNull(${value})) > ${plainNumber(MOST_MATCHED)}`
    return sql`substring(${value}, 1 + throwIf(${broken}, ${text(words)}))`
  })
}

/** Patterns are plain texts, so that it is known beforehand what they cost. */
function patternsIn({ written, value }: Argument, name: string): string[] {
  if (written.kind === 'array')
    return written.items.flatMap((item) => (item.kind === 'string' ? [item.value] : refusePattern(name)))
  const [only] = value.values
  const alone = value.values.length === 1 && value.strings.every((part) => part === '')
  if (alone && only instanceof Param && typeof only.value === 'string') return [only.value]
  if (alone && only instanceof Fragment)
    return patternsIn({ written: { kind: 'star' } as Expression, value: only }, name)
  return refusePattern(name)
}

const refusePattern = (name: string): never => {
  throw sqlError(`The pattern of ${name} is a plain text: ${name}(text, 'pattern').`)
}

function refuseUnknownReducer(reducer: Argument | undefined): void {
  const { written } = reducer ?? {}
  if (written?.kind === 'string' && isAggregate(written.value)) return
  throw sqlError("arrayReduce takes the name of a function first: arrayReduce('max', list).")
}

function holdsCostly(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.some(holdsCostly)
  const { kind, name, operator } = node as { kind?: unknown; name?: unknown; operator?: unknown }
  if (kind === 'operator' && (operator === '=~' || operator === '!~')) return true
  if (kind === 'call' && typeof name === 'string' && isCostly(knownFunction(name) ?? name)) return true
  return Object.values(node).some(holdsCostly)
}

const plainNumber = (value: number): Fragment => new Fragment([String(value)], [])
const text = (words: string) => new Fragment([`'${words}'`], [])
