/**
 * An event that is a step, as one number that sorts: its time, then its place among events of the same instant, then which step it is.
 *
 *   time in µs * 4096  +  rank * 64  +  (63 - id)
 *
 * The place matters because the chain of steps is built from the last event to the first, and an event sees what was met before. Events of
 * one instant count as in order, so a step sorts before the one that follows it; but when the following step holds it (the same event
 * twice, say), the later one must be strictly later, and they sort the other way round. An event that is two steps at once must not
 * follow itself: both get one rank, and there the higher step sorts first. Exclusions sort before all steps: they must be strictly later.
 */
import { type Fragment, or, sql } from '../../engines/clickhouse/index.ts'
import type { SeriesNode } from '../parse/shared-schema.ts'
import { whole } from '../sql/whole.ts'
import { containsStep, mayOverlap } from './same-step.ts'

export const FIRST_EXCLUSION_ID = 32
const RANK = 64
const TIME = RANK * RANK

export const timeOf = (code: Fragment): Fragment => sql`toInt64(bitShiftRight(${code}, 12))`
export const idOf = (code: Fragment): Fragment => sql`toUInt8(63 - bitAnd(${code}, 63))`

/** Must step i + 1 be strictly later than step i? */
export const strictlyLater = (steps: readonly SeriesNode[]): boolean[] =>
  steps.slice(1).map((step, index) => containsStep(step, steps[index] as SeriesNode))

/** An event's codes as an array, or as one number when no event can be more than one step. 0 is no step. */
export function eventCodes(
  steps: readonly SeriesNode[],
  exclusions: readonly SeriesNode[],
  isStep: readonly Fragment[],
  isExclusion: readonly Fragment[],
): { readonly single: boolean; readonly codes: Fragment } {
  const time = sql`toUInt64(toUnixTimestamp64Micro(e.timestamp))`
  const ofSteps = stepRanks(steps, isStep)
  const all = [
    ...isStep.map((is, id) => ({ is, low: sql`${ofSteps[id] as Fragment} * ${whole(RANK)} + ${whole(63 - id)}` })),
    ...isExclusion.map((is, index) => ({ is, low: whole(63 - FIRST_EXCLUSION_ID - index) })),
  ]
  const nodes = [...steps, ...exclusions]
  const single = nodes.every((node, index) => nodes.slice(index + 1).every((other) => !mayOverlap(node, other)))
  if (single) {
    const low = all.reduceRight((rest, { is, low }) => sql`if(${is}, ${low}, ${rest})`, sql`0`)
    return { single, codes: sql`${time} * ${whole(TIME)} + ${low}` }
  }
  const codes = all.map(({ is, low }) => sql`if(${is}, ${time} * ${whole(TIME)} + ${low}, 0)`)
  const list = codes.slice(1).reduce((list, code) => sql`${list}, ${code}`, codes[0] ?? sql``)
  return { single, codes: sql`arrayFilter(code -> code != 0, [${list}])` }
}

/** The rank of each step for the event at hand: constant, unless the event may be the neighbouring step as well. */
function stepRanks(steps: readonly SeriesNode[], isStep: readonly Fragment[]): Fragment[] {
  const strict = strictlyLater(steps)
  const heights = [0]
  for (const later of strict) heights.push((heights.at(-1) as number) + (later ? -1 : 1))
  const ranks = [...new Set(heights.flatMap((height) => [2 * height, 2 * height + 1]))].toSorted((a, b) => a - b)
  const rankAt = (key: number): Fragment => whole(ranks.indexOf(key) + 1)
  const meets = steps.map((step, i) => i > 0 && mayOverlap(step, steps[i - 1] as SeriesNode))
  const together: Fragment[] = []
  return steps.map((_, i) => {
    const alone = 2 * (heights[i] as number)
    const before = meets[i] ? isStep[i - 1] : undefined
    const after = meets[i + 1] ? isStep[i + 1] : undefined
    const own = rankAt(alone + 1)
    together[i] = before === undefined ? own : sql`if(${before}, ${together[i - 1] as Fragment}, ${own})`
    const neighbours = [before, after].filter((each) => each !== undefined)
    return neighbours.length === 0 ? rankAt(alone) : sql`if(${or(neighbours)}, ${together[i]}, ${rankAt(alone)})`
  })
}
