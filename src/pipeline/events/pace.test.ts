import { expect, test } from 'vitest'
import { paceMs } from './pace.ts'

const LIMITS = { bytes: 1024 * 1024, records: 100 }
const rangeOf = (records: number, bytes: number) => ({
  records: Array.from({ length: records }, (_, position) => ({ position, payload: Buffer.alloc(bytes) })),
})

test.each([
  ['a single event', rangeOf(1, 600), 10, 150],
  ['a batch of an SDK', rangeOf(1, 100 * 1024), 10, 300],
  ['many of them, but no full batch', rangeOf(4, 125 * 1024), 10, 1_000],
  ['a single event, and an engine that is busy', rangeOf(1, 600), 40, 400],
  ['a single event, and an engine that is slow', rangeOf(1, 600), 5_000, 1_000],
  ['half of the bytes that fit', rangeOf(4, 128 * 1024), 5_000, 0],
  ['all records that fit', rangeOf(100, 10), 5_000, 0],
])('%s', (_, range, deliveryMs, pause) => {
  expect(paceMs(range, LIMITS, deliveryMs)).toBe(pause)
})
