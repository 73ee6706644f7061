import { expect, it } from 'vitest'
import { HOUR } from '../../lib/durations.ts'
import { ageLimitStep } from './age-limit.ts'
import { pipelineEvent } from './testing/events.ts'

const NOW = Date.UTC(2023, 0, 1, 12)

/** An event that is so many milliseconds old when it arrives in a project that takes events of the last hour. */
const arriving = (ageMs: number, fields: object = {}) => {
  const event = pipelineEvent({ receivedAt: NOW, project: { dropEventsOlderThanSeconds: 3_600 }, ...fields })
  event.timestamp = NOW - ageMs
  return ageLimitStep(event)
}

it('an event older than its project takes is dropped, and the ledger says when it was and what the limit is', () => {
  expect(arriving(HOUR + 1)).toMatchObject({
    kind: 'drop',
    warnings: [
      {
        type: 'event_too_old',
        event: 'tested',
        distinctId: 'somebody',
        details: { timestamp: '2023-01-01T10:59:59.999Z', limit_seconds: 3_600 },
      },
    ],
  })
})

it.each([
  ['as old as the limit', HOUR, {}],
  ['of the future', -HOUR, {}],
  ['of an import', 100 * HOUR, { historical: true }],
  ['of a project without a limit', 100 * HOUR, { project: {} }],
])('an event %s is kept', (_, age, fields) => {
  expect(arriving(age, fields)).toEqual({ kind: 'ok', warnings: [] })
})
