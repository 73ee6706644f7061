import { expect, test } from 'vitest'
import { StallWatch } from './stall.ts'

test('a pipeline that says nothing while something waits is stalled since it last spoke', () => {
  const watch = new StallWatch(0)
  expect(watch.seconds(true, 5_000)).toBe(5)
  watch.progress(6_000)
  expect(watch.seconds(true, 9_000)).toBe(3)
})

test('silence is no stall while nothing waits, and does not count towards one', () => {
  const watch = new StallWatch(0)
  expect(watch.seconds(false, 60_000)).toBe(0)
  expect(watch.seconds(true, 61_000)).toBe(1)
})
