import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'

const bounds = { firstMs: 100, longestMs: 5_000 }
const whole = () => 1

test('the pause doubles with each failure, up to the longest', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6, 7].map((failures) => backoffMs(failures, bounds, whole))
  expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
})

test('chance takes away up to half of it', () => {
  expect(backoffMs(2, bounds, () => 0)).toBe(200)
  expect(new Set(Array.from({ length: 20 }, () => backoffMs(2, bounds))).size).toBeGreaterThan(1)
})

test('however many failures: never below half of the first pause, never above the longest', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 1, max: 100 }),
      (failures, firstMs, times) => {
        const longestMs = firstMs * times
        const pause = backoffMs(failures, { firstMs, longestMs })
        expect(pause).toBeGreaterThanOrEqual(firstMs / 2)
        expect(pause).toBeLessThanOrEqual(longestMs)
      },
    ),
  )
})
