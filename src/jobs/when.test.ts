import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextSundayAtFive } from './when.ts'

describe('the run of the week', () => {
  it.each([
    ['2026-11-15T04:59:59.999Z', '2026-11-15T05:00:00.000Z'],
    ['2026-11-15T05:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['2026-11-16T00:00:00.000Z', '2026-11-22T05:00:00.000Z'],
    ['1969-12-31T00:00:00.000Z', '1970-01-04T05:00:00.000Z'],
  ])('after %s is at %s', (after, expected) => expect(nextSundayAtFive(new Date(after)).toISOString()).toBe(expected))

  it('is a Sunday at five, later than now and within a week, whenever that is', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 4e12 }), (ms) => {
        const next = nextSundayAtFive(new Date(ms))
        expect([next.getUTCDay(), next.getUTCHours(), next.getUTCMinutes(), Math.abs(next.getTime() % 60_000)]).toEqual(
          [0, 5, 0, 0],
        )
        expect(next.getTime()).toBeGreaterThan(ms)
        expect(next.getTime()).toBeLessThanOrEqual(ms + 7 * 86_400_000)
      }),
    )
  })
})
