import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHOICES, FIGURES } from '../../bench/support/capacity-figures.ts'
import { dayOfQueue, type Load, planFor } from '../../bench/support/capacity-model.ts'

const load = fc.record({
  eventsPerDay: fc.integer({ min: 1_000, max: 10_000_000_000 }),
  eventsPerRequest: fc.integer({ min: 1, max: 500 }),
  swing: fc.double({ min: 1, max: 4, noNaN: true }),
  questionsPerSecond: fc.double({ min: 0, max: 50, noNaN: true }),
  eventsPerQuestion: fc.integer({ min: 0, max: 100_000_000 }),
  retentionDays: fc.integer({ min: 1, max: 1_000 }),
})

test('with one machine less, the busiest hour is still applied as it comes', () => {
  fc.assert(
    fc.property(load, (each: Load) => {
      const { appliedWithOneLess, peakPerSecond, partitions, pipelines } = planFor(each, FIGURES, CHOICES)
      expect(appliedWithOneLess).toBeGreaterThanOrEqual(peakPerSecond)
      expect(partitions === 256 || partitions >= pipelines * CHOICES.coresOfPipeline).toBe(true)
    }),
  )
})

test('more events never need less of anything', () => {
  fc.assert(
    fc.property(load, fc.integer({ min: 0, max: 1_000_000_000 }), (each: Load, more) => {
      const [less, plan] = [each, { ...each, eventsPerDay: each.eventsPerDay + more }].map((one) =>
        planFor(one, FIGURES, CHOICES),
      )
      for (const key of ['captures', 'pipelines', 'partitions', 'shards', 'diskBytesOfCopy'] as const)
        expect(plan?.[key]).toBeGreaterThanOrEqual(less?.[key] ?? 0)
    }),
  )
})

test('the queue of an even load: what comes in an outage waits, and is gone when twice the speed had as long', () => {
  const even: Load = {
    eventsPerDay: 86_400_000,
    swing: 1,
    eventsPerRequest: 1,
    questionsPerSecond: 0,
    eventsPerQuestion: 0,
    retentionDays: 1,
  }
  const day = dayOfQueue(even, 2_000, { fromMinute: 600, minutes: 60, appliedPerSecond: 0 })
  expect(day.most).toBe(3_600_000)
  expect(day.recoveredAfterMinutes).toBe(60)
  const none = dayOfQueue(even, 2_000, { fromMinute: 600, minutes: 0, appliedPerSecond: 0 })
  expect(none.most).toBe(0)
})
