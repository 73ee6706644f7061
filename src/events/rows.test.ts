import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asParsed, parseJson } from '../lib/json.ts'
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

/** As parsing leaves it: a text that begins with the mark of exact numbers has it twice. */
const anyText = fc.string({ unit: 'binary' }).map(asParsed)

describe('event rows', () => {
  it('come out of the outbox as they went in, whatever the properties', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText, fc.jsonValue()), anyText, (properties, text) => {
        const rows = [row({ properties: properties as EventRow['properties'], distinctId: text, event: text }), row()]
        const sent = JSON.stringify(rows)
        expect(JSON.stringify(unpackEventRows(packEventRows(rows)))).toBe(JSON.stringify(JSON.parse(sent)))
      }),
    )
  })

  it('are the same bytes for ClickHouse before and after the outbox, and without it', () => {
    const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }))
    fc.assert(
      fc.property(fc.array(fc.record({ properties: json, personProperties: json })), (given) => {
        const bytesOf = (rows: readonly EventRow[]) => eventRowsAsBinary(rows, { inSessions: true }).toString('hex')
        const rows = given.map((fields) => row(fields as Partial<EventRow>))
        const direct = bytesOf(rows)
        const stored = packEventRows(rows)
        expect(bytesOf(rows)).toBe(direct)
        expect(bytesOf(unpackEventRows(stored))).toBe(direct)
      }),
    )
  })

  it('keep the digits of numbers that a double does not hold', () => {
    const rows = [row({ properties: parseJson('{"big":12345678901234567890,"a.b":"x"}') as EventRow['properties'] })]
    expect(packEventRows(rows).toString()).toContain('{"big":12345678901234567890,"a.b":"x"}')
    expect(eventRowsAsBinary(rows, { inSessions: true }).toString('latin1')).toContain('{"big":12345678901234567890,')
  })

  it('share the properties of a person, and may be packed in parts', () => {
    const personProperties = { name: 'Ada' }
    const rows = [row({ personProperties }), row({ personProperties, event: 'paid' })]
    const whole = packEventRows(rows)
    expect(Buffer.concat(rows.map((each) => packEventRows([each]))).equals(whole)).toBe(true)
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
