import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../lib/json.ts'
import {
  clickhouseTime,
  type EventRow,
  eventRowsAsBinary,
  packEventRows,
  unpackEventRows,
  uuidAsNumber,
} from './rows.ts'

const row = (fields: Partial<EventRow> = {}): EventRow => ({
  projectId: 1,
  uuid: '01a1dd23-631a-7970-b1ed-6b9689d94128',
  event: 'clicked',
  timestamp: Date.UTC(2024, 0, 1) + 0.123,
  receivedAt: Date.UTC(2024, 0, 1),
  distinctId: 'ada',
  personId: '49436068-8eab-53ea-b098-27dac0ad8e3b',
  personMode: 'full',
  personCreatedAt: 5000,
  sessionId: '',
  groups: ['', 'acme', '', '', ''],
  elementsChain: '',
  properties: {},
  personProperties: {},
  ...fields,
})

describe('event rows', () => {
  it('come out of the outbox as they went in, whatever the properties', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.string({ unit: 'binary' }),
        (properties, text) => {
          const rows = [row({ properties: properties as EventRow['properties'], distinctId: text, event: text }), row()]
          const sent = JSON.stringify(rows)
          expect(JSON.stringify(unpackEventRows(packEventRows(rows)))).toBe(JSON.stringify(JSON.parse(sent)))
        },
      ),
    )
  })

  it('are the same bytes for ClickHouse before and after the outbox', () => {
    const rows = [row({ properties: parseJson('{"big":12345678901234567890,"a.b":"x"}') as EventRow['properties'] })]
    expect(eventRowsAsBinary(unpackEventRows(packEventRows(rows)), { inSessions: true })).toEqual(
      eventRowsAsBinary(rows, { inSessions: true }),
    )
  })

  it('write microseconds', () =>
    expect(clickhouseTime(Date.UTC(2024, 0, 1) + 0.123)).toBe('2024-01-01 00:00:00.000123'))

  it('order uuids as their texts', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        expect(BigInt(uuidAsNumber(a)) < BigInt(uuidAsNumber(b))).toBe(a < b)
      }),
    )
  })
})
