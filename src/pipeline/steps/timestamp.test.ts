import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../lib/json.ts'
import { isoTimestamp } from '../../lib/timestamps.ts'
import { pipelineEvent } from './testing/events.ts'
import { timestampStep } from './timestamp.ts'

const NOW = Date.UTC(2023, 0, 1, 12)
const at = (iso: string) => Date.parse(iso)

function timestampOf(fields: {
  timestamp?: unknown
  offset?: unknown
  sentAt?: string | number
  properties?: JsonObject
}) {
  const event = pipelineEvent({ receivedAt: NOW, ...fields })
  const result = timestampStep(event)
  return {
    iso: isoTimestamp(event.timestamp),
    warnings: result.kind === 'ok' ? result.warnings.map(({ type }) => type) : [result.kind],
  }
}

describe('the timestamp of an event', () => {
  const sent = { timestamp: '2023-01-01T11:00:00Z' }

  it.each([
    ['a client clock that is ahead', { ...sent, sentAt: '2023-01-01T12:00:10Z' }, '2023-01-01T10:59:50.000Z'],
    ['a client clock that is behind', { ...sent, sentAt: '2023-01-01T11:59:50Z' }, '2023-01-01T11:00:10.000Z'],
    ['sent_at in milliseconds', { ...sent, sentAt: at('2023-01-01T12:00:10Z') }, '2023-01-01T10:59:50.000Z'],
    [
      'sent_at in seconds is ignored',
      { ...sent, sentAt: at('2023-01-01T12:00:10Z') / 1000 },
      '2023-01-01T11:00:00.000Z',
    ],
    ['no sent_at', sent, '2023-01-01T11:00:00.000Z'],
    [
      '$ignore_sent_at',
      { ...sent, sentAt: '2023-01-01T12:00:10Z', properties: { $ignore_sent_at: true } },
      '2023-01-01T11:00:00.000Z',
    ],
    ['no timestamp', { sentAt: '2023-01-01T11:00:10Z' }, '2023-01-01T12:00:00.000Z'],
    ['an offset', { offset: 5000 }, '2023-01-01T11:59:55.000Z'],
    ['an offset beside a timestamp', { ...sent, offset: 5000 }, '2023-01-01T11:59:55.000Z'],
    ['22 hours ahead', { timestamp: '2023-01-02T10:00:00Z' }, '2023-01-02T10:00:00.000Z'],
    ['23 hours ahead', { timestamp: '2023-01-02T11:00:00Z' }, '2023-01-02T11:00:00.000Z'],
    ['microseconds', { timestamp: '2023-01-01T11:00:00.123456Z' }, '2023-01-01T11:00:00.123456Z'],
  ])('with %s', (_, fields, expected) => expect(timestampOf(fields)).toEqual({ iso: expected, warnings: [] }))

  it.each([
    ['an unreadable timestamp', { timestamp: 'not a date' }, '2023-01-01T12:00:00.000Z', 'timestamp_unparsable'],
    ['a timestamp that is a number', { timestamp: 5 }, '2023-01-01T12:00:00.000Z', 'timestamp_unparsable'],
    ['24 hours ahead', { timestamp: '2023-01-02T12:00:00Z' }, '2023-01-01T12:00:00.000Z', 'timestamp_clamped'],
    [
      'a year before the calendar of the database',
      { timestamp: '1066-10-14' },
      '1970-01-01T00:00:00.000Z',
      'timestamp_clamped',
    ],
  ])('with %s is mended, and the ledger says so', (_, fields, iso, warning) =>
    expect(timestampOf(fields)).toEqual({ iso, warnings: [warning] }),
  )
})
