/**
 * What all flags of one answer together may spend on searching values. Anybody may send a text of a megabyte, and every
 * filter of every flag would look at it: beyond this the flags that are left are not decided.
 */
import { isObject, type Json, stringifyJson } from '../../lib/json.ts'
import type { Matcher, StepsLeft } from './definition.ts'
import { Undecided } from './undecided.ts'

/** Some 20 ms: a project of ten thousand flags over usual values takes a third of it. */
const MOST_STEPS = 1_200_000
/** So many characters are looked at for nothing. */
const FREE = 256

export class SearchBudget {
  readonly #left: StepsLeft = { steps: MOST_STEPS }
  readonly #lengths = new Map<object, number>()

  /** Throws Undecided when too much has been searched. */
  holds(matches: Matcher, value: Json | undefined, now: number): boolean {
    const length = this.#lengthOf(value)
    if (length > FREE) this.#left.steps -= length
    if (this.#left.steps < 0) throw new Undecided('too_much_to_search')
    return matches(value, now, this.#left)
  }

  /** Lists and objects are compared as their texts. */
  #lengthOf(value: Json | undefined): number {
    if (typeof value === 'string') return value.length
    if (!Array.isArray(value) && !isObject(value)) return 0
    const known = this.#lengths.get(value)
    if (known !== undefined) return known
    const { length } = stringifyJson(value)
    this.#lengths.set(value, length)
    return length
  }
}
