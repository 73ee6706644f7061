/**
 * Functions whose work is not bounded by what they read: the engine looks whether a question was stopped between two
 * blocks, never within a call, so what one call may do is bounded here. A bound that only the values can break is
 * written into the statement, as a condition that the bounded argument depends on: the engine cannot do the work first.
 */
import { Fragment, Param, sql } from '../../engines/clickhouse-sql.ts'
import { refuseHeavyPattern } from '../plan/pattern-weight.ts'
import type { Expression, Place } from './ast.ts'
import { sqlError } from './error.ts'
import type { Cost, Growth } from './functions/row.ts'
import { functionOf, isAggregate } from './functions.ts'
import { withinSize } from './written-size.ts'

export interface Argument {
  readonly written: Expression
  readonly value: Fragment
}

const MOST_PAIRS = 100_000
const MOST_SCANNED = 10_000
const MOST_SCANNED_IN_LAMBDA = 100
const MOST_SORTED = 1_000_000
const MOST_MATCHED = 100_000
const MOST_OF_SHORT = 10_000
const MOST_COMPARED = 1_000_000
/** Of a list whose items are given to a function that is itself bounded, or folded into one value. */
const MOST_ITEMS_OF_COSTLY_LAMBDA = 1_000
const MOST_STEPS = 10_000
const MOST_FUZZY = 2

const MOST_CALLS = 1_000
const MOST_COSTLY_CALLS = 100

/** What each cost means, for documentation. */
export const COSTS: Readonly<Record<Cost, string>> = {
  row: '',
  list: `counted: up to ${MOST_COSTLY_CALLS} calls over lists, patterns and documents in one query`,
  document: 'counted with the calls over lists',
  scan: `lists of up to ${MOST_SCANNED} items, ${MOST_SCANNED_IN_LAMBDA} inside a lambda`,
  pairs: `up to ${MOST_PAIRS} pairs of items`,
  ranges: `up to ${MOST_PAIRS} pairs of a range and an item`,
  sort: `lists of up to ${MOST_SORTED} items`,
  fold: `lists of up to ${MOST_ITEMS_OF_COSTLY_LAMBDA} items`,
  reduce: 'the name of an aggregate as a plain text',
  pattern: `patterns are plain texts; computed texts of up to ${MOST_MATCHED} bytes`,
  'short text': `texts of up to ${MOST_OF_SHORT} bytes`,
  'two texts': `lengths that multiply to at most ${MOST_COMPARED}`,
  series: `keys that lie up to ${MOST_STEPS} apart`,
  slots: `up to ${MOST_STEPS} slots`,
}

/** What the calls of one statement add up to. */
export class CallBudget {
  #calls = 0
  #costly = 0
  readonly #places = new Map<string, Place[]>()

  /** The functions that were called, with where that stands in the text. */
  get places(): ReadonlyMap<string, readonly Place[]> {
    return this.#places
  }

  note(name: string, place: Place | undefined): void {
    if (place) this.#places.set(name, [...(this.#places.get(name) ?? []), place])
  }

  count(name: string, place?: Place): void {
    this.note(name, place)
    if (++this.#calls > MOST_CALLS)
      throw sqlError(`The query calls functions more than ${MOST_CALLS} times: ask for less at once.`)
    if (isCostly(name) && ++this.#costly > MOST_COSTLY_CALLS)
      throw sqlError(
        `The query calls functions over lists, patterns and documents (${name}) more than ${MOST_COSTLY_CALLS} times: ask for less at once.`,
      )
  }
}

const isCostly = (name: string): boolean => (functionOf(name)?.row.cost ?? 'row') !== 'row'

/** The arguments of a call, with its bounds written into them. */
export const boundedArguments = (name: string, args: readonly Argument[], inLambda: boolean): Fragment[] =>
  withBounds(name, args, inLambda).map(withinSize)

function withBounds(name: string, args: readonly Argument[], inLambda: boolean): Fragment[] {
  const row = functionOf(name)?.row
  const { cost = 'row', grows } = row ?? {}
  const values = args.map(({ value }, i) => (row?.seconds && i === 0 ? sql`toDateTime(${value})` : value))
  const within = grows ? grown(name, args, values, grows) : values
  switch (cost) {
    case 'row':
    case 'document':
      return within
    case 'pairs':
      return bounded(within, 0, pairs(name, within[0], within[1]))
    case 'ranges':
      refuseUnknownReducer(name, args[0])
      return bounded(within, 1, pairs(name, within[1], within[2]))
    case 'scan':
      return scanned(name, args, within, inLambda)
    case 'pattern':
      return matching(name, args)
    case 'short text':
      return within.map((value, i) => (i === 0 ? shortText(name, value, MOST_OF_SHORT) : value))
    case 'two texts':
      return twoTexts(name, within)
    case 'series':
      return series(name, within)
    case 'slots':
      return slots(name, within)
    case 'reduce':
      refuseUnknownReducer(name, args[0])
      return within
    case 'sort':
    case 'fold':
    case 'list':
      return ofList(name, cost, args, within)
  }
}

interface Bound {
  readonly isBroken: Fragment
  readonly words: string
}

/** The list at `place`, cut from its first item on: where that is can only be said when the bound holds. */
function bounded(values: readonly Fragment[], place: number, bound: Bound | undefined): Fragment[] {
  if (bound === undefined) return [...values]
  return values.map((value, i) => (i === place ? sql`arraySlice(${value}, 1 + ${checked(bound)})` : value))
}

const checked = ({ isBroken, words }: Bound): Fragment => sql`throwIf(ifNull(${isBroken}, 0), ${text(words)})`

const tooLong = (name: string, list: Fragment, most: number, where = ''): Bound => ({
  isBroken: sql`length(${list}) > ${plainNumber(most)}`,
  words: `${name}${where} takes lists of up to ${most} items: make the list shorter`,
})

const pairs = (name: string, a: Fragment | undefined, b: Fragment | undefined): Bound | undefined =>
  a &&
  b && {
    isBroken: sql`length(${a}) * length(${b}) > ${plainNumber(MOST_PAIRS)}`,
    words: `${name} compares up to ${MOST_PAIRS} pairs of items: make the lists shorter`,
  }

function scanned(name: string, args: readonly Argument[], values: readonly Fragment[], inLambda: boolean): Fragment[] {
  const most = inLambda ? MOST_SCANNED_IN_LAMBDA : MOST_SCANNED
  const [list] = args
  if (list?.written.kind === 'array' && list.written.items.length <= most) return [...values]
  return bounded(values, 0, list && tooLong(name, list.value, most, inLambda ? ' inside a lambda' : ''))
}

function ofList(
  name: string,
  cost: 'sort' | 'fold' | 'list',
  args: readonly Argument[],
  values: Fragment[],
): Fragment[] {
  const first = args.findIndex(({ written }) => written.kind !== 'lambda')
  const list = args[first]
  if (!list) return values
  if (cost === 'fold') return bounded(values, first, tooLong(name, list.value, MOST_ITEMS_OF_COSTLY_LAMBDA))
  if (cost === 'sort') return bounded(values, first, tooLong(name, list.value, MOST_SORTED))
  const lambda = args.find(({ written }) => written.kind === 'lambda')
  if (!lambda || !holdsCostly(lambda.written)) return values
  const most = MOST_ITEMS_OF_COSTLY_LAMBDA
  if (!name.startsWith('map')) return bounded(values, first, tooLong(name, list.value, most, ' with such a lambda'))
  const { isBroken, words } = tooLong(name, list.value, most, ' with such a lambda')
  return values.map((value, i) => (i === first ? sql`if(${checked({ isBroken, words })} = 0, ${value}, map())` : value))
}

/** The argument that says how large the answer becomes. */
function grown(name: string, args: readonly Argument[], values: readonly Fragment[], grows: Growth): Fragment[] {
  const { by, most, times } = grows
  const written = args[by]?.written
  if (written?.kind === 'number' && times === undefined) {
    if (Number(written.text) > most) throw sqlError(`${name} makes up to ${most}: ask for less at once.`)
    return [...values]
  }
  const repeated = times === undefined ? undefined : values[times]
  return values.map((value, i) => {
    if (i !== by) return value
    const size = repeated ? sql`abs(${value}) * length(${repeated})` : sql`abs(${value})`
    const words = `${name} makes up to ${most}: ask for less at once`
    return sql`(${value} + ${checked({ isBroken: sql`${size} > ${plainNumber(most)}`, words })})`
  })
}

const shortText = (name: string, value: Fragment, most: number): Fragment =>
  sql`substring(${value}, 1 + ${checked({
    isBroken: sql`length(${value}) > ${plainNumber(most)}`,
    words: `${name} takes texts of up to ${most} bytes: make the text shorter`,
  })})`

function twoTexts(name: string, [a, b, ...rest]: readonly Fragment[]): Fragment[] {
  if (!a || !b) return [a, b, ...rest].filter((each) => each !== undefined)
  const words = `${name} takes texts whose lengths multiply to at most ${MOST_COMPARED}: make them shorter`
  const isBroken = sql`length(${a}) * length(${b}) > ${plainNumber(MOST_COMPARED)}`
  return [sql`substring(${a}, 1 + ${checked({ isBroken, words })})`, b, ...rest]
}

function series(name: string, [map, last]: readonly Fragment[]): Fragment[] {
  if (!map) return []
  const [low, high] = [sql`arrayMin(mapKeys(${map}))`, sql`arrayMax(mapKeys(${map}))`]
  const end = last ? sql`greatest(${high}, ${last})` : high
  const words = `${name} fills up to ${MOST_STEPS} keys: leave out what lies further apart`
  const bound = checked({ isBroken: sql`${end} - ${low} > ${plainNumber(MOST_STEPS)}`, words })
  const filled = sql`mapFilter((k, v) -> ${bound} = 0, ${map})`
  return last ? [filled, last] : [filled]
}

function slots(name: string, [start, seconds, size]: readonly Fragment[]): Fragment[] {
  if (!start || !seconds) return [start, seconds].filter((each) => each !== undefined)
  const step = size ?? sql`1800`
  const words = `${name} makes up to ${MOST_STEPS} slots: ask for a shorter time or larger slots`
  const bound = checked({ isBroken: sql`${seconds} / ${step} > ${plainNumber(MOST_STEPS)}`, words })
  return [sql`toDateTime(${start})`, sql`toUInt32(${seconds} + ${bound})`, sql`toUInt32(${step})`]
}

/** Where the pattern stands, and the text before it. */
const placesOf = (name: string): readonly [pattern: number, text: number] =>
  name === 'splitByRegexp' ? [0, 1] : name.startsWith('multiFuzzy') ? [2, 0] : [1, 0]

function matching(name: string, args: readonly Argument[]): Fragment[] {
  const [patternAt, textAt] = placesOf(name)
  const pattern = args[patternAt]
  const subject = args[textAt]
  if (pattern) for (const each of patternsIn(pattern, name)) refuseHeavyPattern(each, ['query'])
  if (patternAt === 2) refuseFarFuzzy(name, args[1])
  return args.map(({ value, written }, i) => {
    // What stands in a table is as long as an event may be; what a query makes may be as long as memory.
    if (i !== textAt || !subject || written.kind === 'name' || written.kind === 'string') return value
    const words = `${name} takes computed texts of up to ${MOST_MATCHED} bytes: make the text shorter`
    const broken = sql`length(assumeNotNull(${value})) > ${plainNumber(MOST_MATCHED)}`
    return sql`substring(${value}, 1 + throwIf(${broken}, ${text(words)}))`
  })
}

function refuseFarFuzzy(name: string, distance: Argument | undefined): void {
  if (distance?.written.kind === 'number' && Number(distance.written.text) <= MOST_FUZZY) return
  throw sqlError(`${name} takes a distance of 0 to ${MOST_FUZZY}: ${name}(text, 1, ['pattern']).`)
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

function refuseUnknownReducer(name: string, reducer: Argument | undefined): void {
  const { written } = reducer ?? {}
  // With its parameters, which are numbers: 'quantile(0.9)'.
  const [, aggregate = ''] = written?.kind === 'string' ? (/^(\w+)(?:\([\d., ]*\))?$/.exec(written.value) ?? []) : []
  if (isAggregate(aggregate)) return
  throw sqlError(`${name} takes the name of an aggregate first: arrayReduce('max', list).`)
}

function holdsCostly(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.some(holdsCostly)
  const { kind, name, operator } = node as { kind?: unknown; name?: unknown; operator?: unknown }
  if (kind === 'operator' && typeof operator === 'string' && operator.includes('~')) return true
  if (kind === 'call' && typeof name === 'string' && isCostly(name)) return true
  return Object.values(node).some(holdsCostly)
}

const plainNumber = (value: number): Fragment => new Fragment([String(value)], [])
const text = (words: string) => new Fragment([`'${words}'`], [])
