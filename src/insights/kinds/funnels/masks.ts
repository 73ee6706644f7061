/**
 * An event as one number that sorts, for funnels that look at neighbours or at sets rather than at chains: its time in
 * µs, then which steps and exclusions it is, bit by bit. The bits are inverted and the first step has the highest, so
 * that of one instant an earlier step sorts before a later one, and what is no step comes last. Twelve bits fit into 64
 * beside the time; a longer funnel takes 128.
 */
import { type Fragment, sql } from '../../../engines/clickhouse-sql.ts'
import { whole } from '../../sql/whole.ts'
import { never } from './window.ts'

export class Masks {
  readonly #bits: number
  readonly #steps: number

  constructor(steps: number, exclusions: number) {
    this.#steps = steps
    this.#bits = steps + exclusions <= 12 ? 12 : 64
  }

  /** The event at hand. */
  encode(isStep: readonly Fragment[], isExclusion: readonly Fragment[]): Fragment {
    const mask = [...isStep, ...isExclusion]
      .map((is, thing) => sql`bitShiftLeft(toUInt64(${is}), ${whole(this.#bitOf(thing))})`)
      .reduce((all, bit) => sql`bitOr(${all}, ${bit})`)
    const time = sql`toUnixTimestamp64Micro(e.timestamp)`
    if (this.#bits === 12) return sql`bitOr(bitShiftLeft(toUInt64(${time}), 12), bitXor(${mask}, 4095))`
    return sql`bitOr(bitShiftLeft(toUInt128(${time}), 64), toUInt128(bitNot(${mask})))`
  }

  /** An event that is nothing at all. */
  get nothing(): Fragment {
    return this.#bits === 12 ? sql`toUInt64(4095)` : sql`toUInt128(bitNot(toUInt64(0)))`
  }

  timeOf(event: Fragment): Fragment {
    return sql`toInt64(bitShiftRight(${event}, ${whole(this.#bits)}))`
  }

  isStep(event: Fragment, step: number): Fragment {
    return this.#has(event, step)
  }

  isExclusion(event: Fragment, index: number): Fragment {
    return this.#has(event, this.#steps + index)
  }

  isAnything(event: Fragment): Fragment {
    return this.#bits === 12 ? sql`bitAnd(${event}, 4095) != 4095` : sql`toUInt64(${event}) != bitNot(toUInt64(0))`
  }

  /**
   * For each of `events`, the next strictly later one for which `is` holds; one for which it does not hold where there
   * is none.
   */
  nextAfter(is: (event: Fragment) => Fragment): Fragment {
    const fromHere = sql`arrayReverseFill(event -> ${is(sql`event`)}, events)`
    // What an event sees is what the first event of the next instant sees.
    return sql`arrayReverseFill((each, starts) -> starts, ${shifted(fromHere, this.nothing)}, ${shifted(this.#instantStarts(), sql`toUInt8(1)`)})`
  }

  /** The time of such an event, or never. */
  timeIf(is: Fragment, event: Fragment): Fragment {
    return sql`if(${is}, ${this.timeOf(event)}, ${never})`
  }

  /** 1 where an event is the first of its instant. */
  #instantStarts(): Fragment {
    return sql`arrayMap(gap -> gap != 0, arrayDifference(arrayMap(event -> ${this.timeOf(sql`event`)}, events)))`
  }

  #has(event: Fragment, thing: number): Fragment {
    const word = this.#bits === 12 ? event : sql`toUInt64(${event})`
    return sql`NOT bitTest(${word}, ${whole(this.#bitOf(thing))})`
  }

  #bitOf(thing: number): number {
    return this.#bits - 1 - thing
  }
}

/** The array one place to the left, with something at its end. */
export const shifted = (array: Fragment, last: Fragment): Fragment =>
  sql`arrayPushBack(arrayPopFront(${array}), ${last})`
