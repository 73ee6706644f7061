/**
 * Aggregates that keep every value of a group: up to a million, and a group that has more is refused rather than cut.
 * The engine looks whether it has to stop between two blocks, never while it goes through one list.
 */
import { Fragment, ident, sql } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'
import type { Collects, Keeps } from './functions/row.ts'
import { functionOf } from './functions.ts'
import { plain } from './values.ts'

export const MOST_COLLECTED = 1_000_000
export const MOST_TEXT = 10_000_000
/** How much a call keeps, when it is of an aggregate that keeps everything. */
export function collectsOf(name: string): Collects | undefined {
  return functionOf(name)?.row.collects
}

/** The size a client may ask for, or the one that it gets. */
export function sizeOf(name: string, parameters: readonly Expression[] | null): Fragment | undefined {
  const [size] = parameters ?? []
  if (size === undefined) return new Fragment([`(${MOST_COLLECTED + 1})`], [])
  if (size.kind === 'number' && Number(size.text) > MOST_COLLECTED)
    throw sqlError(`${name} keeps up to ${MOST_COLLECTED} values: ask for fewer.`)
  return undefined
}

/** The answer of such an aggregate, or a refusal in words when it had more to keep. */
export function withinCollected(name: string, collects: Collects, answer: Fragment): Fragment {
  const { combinators = [] } = functionOf(name) ?? {}
  const [unit, most] = collects === 'text' ? ['bytes', MOST_TEXT] : ['values', MOST_COLLECTED]
  const words = `${name} keeps up to ${most} ${unit} of a group: name a size or group by more`
  const within = (value: Fragment): Fragment => {
    const broken = sql`throwIf(ifNull(length(${value}) > ${plain(String(most))}, 0), ${plain(`'${words}'`)})`
    return collects === 'text' ? sql`substring(${value}, 1 + ${broken})` : sql`arraySlice(${value}, 1 + ${broken})`
  }
  return inEach(combinators, answer, within)
}

/** Some combinators make several answers of one, and a state is looked at where it is merged. */
function inEach(combinators: readonly string[], answer: Fragment, within: (value: Fragment) => Fragment): Fragment {
  const [last] = combinators.filter((each) => SEVERAL.has(each)).slice(-1)
  if (last === undefined) return within(answer)
  if (last !== 'ForEach' && last !== 'Map') return answer
  const inner = combinators.slice(0, combinators.lastIndexOf(last))
  const item = sql`${ident(`kept_${inner.length}`)}`
  const each = inEach(inner, item, within)
  return last === 'Map'
    ? sql`mapApply((k, ${item}) -> (k, ${each}), ${answer})`
    : sql`arrayMap(${item} -> ${each}, ${answer})`
}

const SEVERAL = new Set(['State', 'MergeState', 'ForEach', 'Map', 'OrNull'])

/** What an aggregate keeps whose state grows with what it sees, and what to write when that is too much. */
export const KEEPS: Readonly<Record<Keeps, string>> = {
  values: 'keeps every value of a group: estimate with quantile(0.5)(x)',
  'different values': 'keeps every different value of a group: estimate with uniq(x)',
  keys: 'keeps every key of a group: make rows of the keys with ARRAY JOIN and group by them',
  rows: 'keeps every row of a group: filter before, or group by more',
}

/** Of a call; undefined when it needs little memory however many rows it sees. */
export function keptBy(name: string): string | undefined {
  const { row, combinators = [] } = functionOf(name) ?? {}
  if (combinators.includes('ForEach')) return 'keeps a state for every place of its lists: give it shorter lists'
  if (combinators.includes('Map')) return 'keeps a state for every key of its maps: give it fewer keys'
  if (row?.collects) return `keeps up to ${MOST_COLLECTED} values of each group: name a size, or make fewer groups`
  return row?.keeps && KEEPS[row.keeps]
}
