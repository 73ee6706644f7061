import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoTimestamp, parseTimestamp } from './timestamps.ts'

describe('parseTimestamp', () => {
  it.each([
    ['2023-01-01T11:00:00Z', '2023-01-01T11:00:00.000Z'],
    ['2023-01-01T11:00:00.123456+00:00', '2023-01-01T11:00:00.123456Z'],
    ['2023-01-01T11:00:00+03', '2023-01-01T08:00:00.000Z'],
    ['2023-01-01T11:00:00-05', '2023-01-01T16:00:00.000Z'],
    ['2023-01-01T11:00:00-0530', '2023-01-01T16:30:00.000Z'],
    ['2023-01-01T11:00:00', '2023-01-01T11:00:00.000Z'],
    ['2023-01-01 11:00:00', '2023-01-01T11:00:00.000Z'],
    ['2023-01-01T11:00Z', '2023-01-01T11:00:00.000Z'],
    ['2023-01-01', '2023-01-01T00:00:00.000Z'],
    ['2023/01/05', '2023-01-05T00:00:00.000Z'],
    ['Sun, 01 Jan 2023 11:00:00 GMT', '2023-01-01T11:00:00.000Z'],
    ['Sun, 01 Jan 2023 11:00:00 +0200', '2023-01-01T09:00:00.000Z'],
    ['1672570800', '2023-01-01T11:00:00.000Z'],
    ['1672570800123', '2023-01-01T11:00:00.123Z'],
    [' 2023-01-01T11:00:00z ', '2023-01-01T11:00:00.000Z'],
  ])('reads %s', (text, expected) => expect(isoTimestamp(parseTimestamp(text) as number)).toBe(expected))

  it.each([
    'not a date',
    '',
    '12',
    '2023-02-30',
    '2023-13-01',
    '2023-01-01T25:00:00Z',
    '2023-01-01T10:60:00Z',
    '20230101x',
  ])('refuses %j', (text) => expect(parseTimestamp(text)).toBeNull())

  it('reads back every moment it writes', () => {
    const micros = fc.integer({ min: -62_135_596_800_000_000, max: 8_000_000_000_000_000 })
    fc.assert(
      fc.property(micros, (moment) => {
        const ms = moment / 1000
        expect(Math.round((parseTimestamp(isoTimestamp(ms)) as number) * 1000)).toBe(Math.round(ms * 1000))
      }),
    )
  })

  it('reads the common form as it reads every other: a blank before it takes the longer way', () => {
    const field = (digits: number, max: number) =>
      fc.integer({ min: 0, max }).map((value) => String(value).padStart(digits, '0'))
    const parts = fc.tuple(
      field(4, 9999),
      field(2, 14),
      field(2, 33),
      field(2, 26),
      field(2, 63),
      field(2, 63),
      field(3, 999),
    )
    fc.assert(
      fc.property(parts, ([year, month, day, hour, minute, second, ms]) => {
        const text = `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`
        expect(parseTimestamp(text)).toBe(parseTimestamp(` ${text}`))
      }),
      { numRuns: 2_000 },
    )
  })
})
