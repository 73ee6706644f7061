/**
 * An event as one number that sorts, for funnels that look at neighbours or at sets rather than at chains: its time in µs, then which steps
 * and exclusions it is, bit by bit. The bits are inverted and the first step has the highest, so that of one instant an earlier step sorts
 * before a later one, and what is no step comes last.
 */
import { type Fragment, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import { never } from './try.ts'

const stepBit = (step: number): number => 63 - step
const exclusionBit = (index: number): number => index

export function maskedEvent(isStep: readonly Fragment[], isExclusion: readonly Fragment[]): Fragment {
  const bits = [
    ...isStep.map((is, step) => sql`bitShiftLeft(toUInt64(${is}), ${whole(stepBit(step))})`),
    ...isExclusion.map((is, index) => sql`bitShiftLeft(toUInt64(${is}), ${whole(exclusionBit(index))})`),
  ]
  const mask = bits.reduce((all, bit) => sql`bitOr(${all}, ${bit})`)
  return sql`bitOr(bitShiftLeft(toUInt128(toUnixTimestamp64Micro(e.timestamp)), 64), toUInt128(bitNot(${mask})))`
}

export const isMaskedStep = (event: Fragment, step: number): Fragment => isStepIn(sql`bitNot(toUInt64(${event}))`, step)
export const isStepIn = (mask: Fragment, step: number): Fragment => sql`bitTest(${mask}, ${whole(stepBit(step))})`

/** Of `events`, in order: when they were, and what. */
export const TIMES = sql`arrayMap(event -> toInt64(bitShiftRight(event, 64)), events)`
export const MASKS = sql`arrayMap(event -> bitNot(toUInt64(event)), events)`

/** For each event, the time of the next strictly later one that has the bit. */
function nextWithBit(bit: number): Fragment {
  const isIt = sql`bitTest(mask, ${whole(bit)})`
  const found = sql`arrayMap((time, mask) -> if(${isIt}, time, ${never}), ${TIMES}, ${MASKS})`
  const fromHere = sql`arrayReverseFill((time, mask) -> ${isIt}, ${found}, ${MASKS})`
  // What an event sees is what the first event of the next instant sees.
  return sql`arrayReverseFill((time, starts) -> starts, ${shifted(fromHere, never)}, ${shifted(INSTANT_STARTS, sql`1`)})`
}

export const nextStep = (step: number): Fragment => nextWithBit(stepBit(step))
export const nextExclusion = (index: number): Fragment => nextWithBit(exclusionBit(index))

/** 1 where an event is the first of its instant. */
const INSTANT_STARTS = sql`arrayMap(gap -> gap != 0, arrayDifference(${TIMES}))`

/** The array one place to the left, with something at its end. */
export const shifted = (array: Fragment, last: Fragment): Fragment =>
  sql`arrayPushBack(arrayPopFront(${array}), ${last})`
