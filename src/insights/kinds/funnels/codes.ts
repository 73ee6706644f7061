/**
 * An event that is a step, as one number that sorts: its time, then its place among events of the same instant, then
 * which step it is.
 *
 *   time in µs * 4096  +  rank * 64  +  (63 - id)
 *
 * The place matters because the chain of steps is built from the last event to the first, and an event sees what was
 * met before. Events of one instant count as in order, so a step sorts before the one that follows it; but when the
 * following step holds it (the same event twice, say), the later one must be strictly later, and they sort the other
 * way round. An event that is two steps at once must not follow itself: both get one rank, and there the higher step
 * sorts first. Exclusions sort before all steps: they must be strictly later. So must an optional step when one event
 * could be it and the step it comes after; else it sorts after all others.
 */

import type { SeriesNode } from '../../../contract/queries/index.ts'
import { type Fragment, or, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import type { FunnelPlan } from './plan.ts'
import { containsStep, mayOverlap } from './same-step.ts'

const RANK = 64
const TIME = RANK * RANK
/** More than the ranks that thirty steps take. */
const LAST_RANK = 62
const FIRST_EXCLUSION_ID = 32

export const timeOf = (code: Fragment): Fragment => sql`toInt64(bitShiftRight(${code}, 12))`
export const hasId = (code: Fragment, id: number): Fragment => sql`bitAnd(${code}, 63) = ${whole(63 - id)}`
export const exclusionId = (index: number): number => FIRST_EXCLUSION_ID + index

/** Required steps are numbered first, optional ones after them. */
export function codeIdOf({ required, optional }: Pick<FunnelPlan, 'required' | 'optional'>, step: number): number {
  const place = required.indexOf(step)
  return place >= 0 ? place : required.length + optional.findIndex((each) => each.step === step)
}

/** Must step i + 1 be strictly later than step i? */
export const strictlyLater = (steps: readonly SeriesNode[]): boolean[] =>
  steps.slice(1).map((step, index) => containsStep(step, steps[index] as SeriesNode))

/** What an event can be, and how to tell. */
export interface Kind {
  readonly node: SeriesNode
  readonly is: Fragment
}
interface Optional extends Kind {
  /** The required step it comes after. */
  readonly after: number
}

/** An event's codes as an array, or as one number when no event can be more than one thing. 0 is nothing. */
export function eventCodes(
  steps: readonly Kind[],
  exclusions: readonly Kind[],
  optional: readonly Optional[],
): { readonly single: boolean; readonly codes: Fragment } {
  const time = sql`toUInt64(toUnixTimestamp64Micro(e.timestamp))`
  const ranks = stepRanks(steps)
  const all = [
    ...steps.map(({ is }, id) => ({ is, low: lowBits(ranks[id] as Fragment, id) })),
    ...exclusions.map(({ is }, index) => ({ is, low: lowBits(whole(0), exclusionId(index)) })),
    ...optional.map(({ node, is, after }, index) => {
      const overlaps = mayOverlap(node, steps[after]?.node as SeriesNode)
      return { is, low: lowBits(whole(overlaps ? 0 : LAST_RANK), steps.length + index) }
    }),
  ]
  const nodes = [...steps, ...exclusions, ...optional].map(({ node }) => node)
  const single = nodes.every((node, index) => nodes.slice(index + 1).every((other) => !mayOverlap(node, other)))
  if (single) {
    const low = all.reduceRight((rest, { is, low }) => sql`if(${is}, ${low}, ${rest})`, sql`0`)
    return { single, codes: sql`${time} * ${whole(TIME)} + ${low}` }
  }
  const codes = all.map(({ is, low }) => sql`if(${is}, ${time} * ${whole(TIME)} + ${low}, 0)`)
  const list = codes.slice(1).reduce((list, code) => sql`${list}, ${code}`, codes[0] ?? sql``)
  return { single, codes: sql`arrayFilter(code -> code != 0, [${list}])` }
}

const lowBits = (rank: Fragment, id: number): Fragment => sql`${rank} * ${whole(RANK)} + ${whole(63 - id)}`

/** The rank of each step for the event at hand: constant, unless the event may be the neighbouring step as well. */
function stepRanks(steps: readonly Kind[]): Fragment[] {
  const nodes = steps.map(({ node }) => node)
  const heights = [0]
  for (const later of strictlyLater(nodes)) heights.push((heights.at(-1) as number) + (later ? -1 : 1))
  const ranks = [...new Set(heights.flatMap((height) => [2 * height, 2 * height + 1]))].toSorted((a, b) => a - b)
  const rankAt = (key: number): Fragment => whole(ranks.indexOf(key) + 1)
  const meets = nodes.map((node, i) => i > 0 && mayOverlap(node, nodes[i - 1] as SeriesNode))
  const together: Fragment[] = []
  return steps.map((_, i) => {
    const alone = 2 * (heights[i] as number)
    const before = meets[i] ? steps[i - 1]?.is : undefined
    const after = meets[i + 1] ? steps[i + 1]?.is : undefined
    const own = rankAt(alone + 1)
    together[i] = before === undefined ? own : sql`if(${before}, ${together[i - 1] as Fragment}, ${own})`
    const neighbours = [before, after].filter((each) => each !== undefined)
    return neighbours.length === 0 ? rankAt(alone) : sql`if(${or(neighbours)}, ${together[i]}, ${rankAt(alone)})`
  })
}
