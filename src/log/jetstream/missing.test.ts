import { expect, test } from 'vitest'
import { Missing } from './missing.ts'

test('what is missing counts as lost after the time given', () => {
  const missing = new Missing(15)
  expect([0, 7, 14, 15, 16].map((now) => missing.isLost(now))).toEqual([false, false, false, true, true])
})

test('of several lost in a row only the first is waited for', () => {
  const missing = new Missing(15)
  for (const now of [0, 10]) missing.isLost(now)
  expect([15, 15, 20].map((now) => missing.isLost(now))).toEqual([true, true, true])
})

test('what is missing later is waited for again: after one was found, and long after the last was lost', () => {
  const missing = new Missing(15)
  for (const now of [0, 15]) missing.isLost(now)
  missing.found()
  expect(missing.isLost(16)).toBe(false)
  expect(missing.isLost(31)).toBe(true)
  expect(missing.isLost(60)).toBe(false)
})

test('nothing is lost when the time has no end', () => {
  const missing = new Missing(Number.POSITIVE_INFINITY)
  expect([0, 1e12].map((now) => missing.isLost(now))).toEqual([false, false])
})
