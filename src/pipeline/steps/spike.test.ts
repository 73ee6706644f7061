import { expect, test } from 'vitest'
import { spikeStep } from './spike.ts'
import { pipelineEvent } from './testing/events.ts'

const LIMITS = { perSecond: 1, burst: 2 }
const warningsOf = (events: readonly Record<string, unknown>[]) => {
  const step = spikeStep(LIMITS)
  return events.map((fields) => {
    const result = step(pipelineEvent({ receivedAt: 1_000, ...fields }))
    return 'warnings' in result ? result.warnings.map(({ type }) => type) : []
  })
}

test('what a distinct id sends beyond its burst is told about', () => {
  expect(warningsOf([{}, {}, {}])).toEqual([[], [], ['person_processing_deferred_spike']])
})

test('anonymous events have no person to put off: they are neither counted nor told about', () => {
  const anonymous = { properties: { $process_person_profile: false } }
  expect(warningsOf([...Array(10).fill(anonymous), {}, {}, {}]).flat()).toEqual(['person_processing_deferred_spike'])
})
