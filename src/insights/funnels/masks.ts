/**
 * An event as (time in µs, its place among events of the same instant, which steps and exclusions it is), for funnels that look at
 * neighbours or at sets rather than at chains. Bits from 0 are steps, bits from 32 exclusions.
 */
import { type Fragment, sql } from '../../engines/clickhouse/index.ts'
import { whole } from '../sql/whole.ts'
import { never } from './try.ts'

const FIRST_EXCLUSION_BIT = 32

export function maskedEvent(isStep: readonly Fragment[], isExclusion: readonly Fragment[]): Fragment {
  const bits = [
    ...isStep.map((is, step) => bit(is, step)),
    ...isExclusion.map((is, index) => bit(is, FIRST_EXCLUSION_BIT + index)),
  ]
  const first = isStep.reduceRight((rest, is, step) => sql`if(${is}, ${whole(step)}, ${rest})`, whole(isStep.length))
  return sql`(toInt64(toUnixTimestamp64Micro(e.timestamp)), toUInt8(${first}), ${sumOf(bits)})`
}

const bit = (is: Fragment, position: number): Fragment => sql`bitShiftLeft(toUInt64(${is}), ${whole(position)})`
const sumOf = (parts: readonly Fragment[]): Fragment => parts.reduce((sum, part) => sql`${sum} + ${part}`)

export const isStepAt = (event: Fragment, step: number): Fragment => sql`bitTest(${event}.3, ${whole(step)})`

/** For each event, the time of the next strictly later one that has the bit. */
export function nextWithBit(bitPosition: number): Fragment {
  const isIt = sql`bitTest(event.3, ${whole(bitPosition)})`
  const fromHere = sql`arrayReverseFill((time, event) -> ${isIt}, arrayMap(event -> if(${isIt}, event.1, ${never}), events), events)`
  // What an event sees is what the first event of the next instant sees.
  return sql`arrayReverseFill((time, starts) -> starts, ${shifted(fromHere, never)}, ${shifted(INSTANT_STARTS, sql`1`)})`
}

export const nextExclusion = (index: number): Fragment => nextWithBit(FIRST_EXCLUSION_BIT + index)

/** 1 where an event is the first of its instant. */
const INSTANT_STARTS = sql`arrayMap((event, before) -> event.1 != before.1, events, arrayPopBack(arrayPushFront(events, (toInt64(-1), toUInt8(0), toUInt64(0)))))`

/** The array one place to the left, with something at its end. */
export const shifted = (array: Fragment, last: Fragment): Fragment =>
  sql`arrayPushBack(arrayPopFront(${array}), ${last})`
