import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inOrder } from './postgres-tables.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

describe('the order in which tables are filled', () => {
  it('has whatever is referred to before whoever refers to it', () => {
    const number = fc.nat(NAMES.length - 1)
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number)), (pairs) => {
        // A table may refer to itself, and otherwise only to one that stands before it: so there is no circle.
        const references = pairs.map(([x, y]) => ({
          from: NAMES[Math.max(x, y)] as string,
          to: NAMES[Math.min(x, y)] as string,
        }))
        const order = inOrder(
          NAMES.toReversed().map((name) => ({ name })),
          references,
        ).map(({ name }) => name)
        expect(order.toSorted()).toEqual(NAMES)
        for (const { from, to } of references) expect(order.indexOf(to)).toBeLessThanOrEqual(order.indexOf(from))
      }),
    )
  })

  it('cannot be found when they refer to each other in a circle', () =>
    expect(() =>
      inOrder(
        [{ name: 'a' }, { name: 'b' }],
        [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'a' },
        ],
      ),
    ).toThrow('circle'))
})
