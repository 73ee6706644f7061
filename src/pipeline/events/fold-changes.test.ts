import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../lib/json.ts'
import { type Changes, foldChanges, isNothing, NOTHING } from './fold-changes.ts'

/** What an event does to properties, as the rules say it. */
function applied(before: JsonObject, { set, setOnce, unset }: Changes): JsonObject {
  const after = { ...setOnce, ...before, ...set }
  for (const key of unset) if (key in before) delete after[key]
  return after
}

const KEYS = ['x', 'y', '__proto__']
const aKey = fc.constantFrom(...KEYS)
const own = (entries: [string, number][]): JsonObject => Object.fromEntries(entries)
const values = fc.array(fc.tuple(aKey, fc.nat(3)), { maxLength: 3 }).map(own)
/** An event that does not both set and take away a key. */
const aChange: fc.Arbitrary<Changes> = fc
  .record({ set: values, setOnce: values, unset: fc.uniqueArray(aKey) })
  .map(({ set, setOnce, unset }) => ({
    set,
    setOnce,
    unset: unset.filter((key) => !Object.hasOwn(set, key) && !Object.hasOwn(setOnce, key)),
  }))

it('changes folded into one do what they did one after the other, whatever the person had', () => {
  fc.assert(
    fc.property(values, fc.array(aChange, { maxLength: 6 }), (person, changes) => {
      const oneByOne = changes.reduce(applied, person)
      const folded = changes.reduce(foldChanges, NOTHING)
      expect(applied(person, folded)).toEqual(oneByOne)
    }),
    { numRuns: 2_000 },
  )
})

it('a single event stays as it is, also one that sets and takes away the same key', () => {
  const change: Changes = { set: { a: 1 }, setOnce: { b: 2, c: 3 }, unset: ['c', 'd'] }
  expect(foldChanges(NOTHING, change)).toEqual(change)
  expect(isNothing(foldChanges(NOTHING, NOTHING))).toBe(true)
})
