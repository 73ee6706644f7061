/**
 * Aggregates that keep every value of a group: up to a million, and a group that has more is refused rather than cut.
 * The engine looks whether it has to stop between two blocks, never while it goes through one list.
 */
import { Fragment, sql } from '../../engines/clickhouse-sql.ts'
import type { Expression } from './ast.ts'
import { sqlError } from './error.ts'
import type { Collects } from './functions/row.ts'
import { functionOf } from './functions.ts'

export const MOST_COLLECTED = 1_000_000
const MOST_TEXT = 10_000_000
/** What these make of a list is another list, or a state that is merged later. */
const CHANGES_ANSWER = new Set(['State', 'MergeState', 'ForEach', 'Map', 'OrNull'])

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
  if (combinators.some((each) => CHANGES_ANSWER.has(each))) return answer
  const most = collects === 'text' ? MOST_TEXT : MOST_COLLECTED
  const words = `${name} keeps up to ${most} ${collects === 'text' ? 'bytes' : 'values'} of a group: name a size or group by more`
  const broken = sql`throwIf(ifNull(length(${answer}) > ${new Fragment([String(most)], [])}, 0), ${new Fragment([`'${words}'`], [])})`
  return collects === 'text' ? sql`substring(${answer}, 1 + ${broken})` : sql`arraySlice(${answer}, 1 + ${broken})`
}
