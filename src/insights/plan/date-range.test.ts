import { describe, expect, test } from 'vitest'
import type { Interval } from '../../contract/queries/index.ts'
import { InvalidQuery } from '../../lib/invalid-input.ts'
import { parseDate } from '../../lib/parse-date.ts'
import { toLocal } from '../../lib/zone.ts'
import { type Clock, type DateRange, planDateRange, previousRange } from './date-range.ts'

const utc = (text: string) => Date.parse(text.endsWith('Z') ? text : `${text}Z`)
const clockAt = (now: string, timezone = 'UTC', weekStart: 0 | 1 = 0): Clock => ({ now: utc(now), timezone, weekStart })

function plan(
  asked: { from?: string; to?: string; interval?: Interval; explicit?: boolean },
  clock: Clock = clockAt('2020-01-24T13:05:00'),
): DateRange {
  const input = { date_from: asked.from, date_to: asked.to, explicitDate: asked.explicit ?? false }
  return planDateRange(input, asked.interval ?? 'day', clock)
}

const shown = (instant: number, zone = 'UTC') => new Date(toLocal(instant, zone)).toISOString().slice(0, 19)

describe('dates as people write them', () => {
  const now = utc('2020-03-15T13:05:30')
  test.each([
    ['-7d', '2020-03-08T00:00:00'],
    ['7d', '2020-03-08T00:00:00'],
    ['-1d', '2020-03-14T00:00:00'],
    ['-24h', '2020-03-14T13:00:00'],
    ['-2w', '2020-03-01T00:00:00'],
    ['-1m', '2020-02-15T00:00:00'],
    ['-1q', '2019-12-15T00:00:00'],
    ['-1y', '2019-03-15T00:00:00'],
    ['-5M', '2020-03-15T13:00:30'],
    ['-10s', '2020-03-15T13:05:20'],
    ['dStart', '2020-03-15T00:00:00'],
    ['-1dStart', '2020-03-14T00:00:00'],
    ['-1dEnd', '2020-03-14T23:59:59'],
    ['mStart', '2020-03-01T00:00:00'],
    ['-1mStart', '2020-02-01T00:00:00'],
    ['-1mEnd', '2020-02-29T00:00:00'],
    ['yStart', '2020-01-01T00:00:00'],
    ['hStart', '2020-03-15T13:00:00'],
    ['-1hEnd', '2020-03-15T12:59:59'],
    ['2020-01-02', '2020-01-02T00:00:00'],
    ['2021-1-1', '2021-01-01T00:00:00'],
    ['2020-01-02T03:04:05', '2020-01-02T03:04:05'],
    ['2020-01-02 03:04', '2020-01-02T03:04:00'],
    ['2020-01-02T03:04:05.678Z', '2020-01-02T03:04:05'],
    ['2020-01-02T03:04:05+02:00', '2020-01-02T01:04:05'],
  ])('%s', (text, expected) => {
    expect(new Date(parseDate(text, now, 'UTC')?.local ?? 0).toISOString().slice(0, 19)).toBe(expected)
  })

  test.each(['banana', '2020-02-31', '2020-01-02T25:00', '2020-01-02T10:00:61', '--7d', '7', 'all', '', 'now-7d'])(
    '%j is no date',
    (text) => expect(parseDate(text, now, 'UTC')).toBeUndefined(),
  )
})

describe('ranges', () => {
  test.each([
    [{ from: '2020-02-01', to: '2020-01-01' }],
    [{ from: '-1d', to: '-2dEnd' }],
    [{ from: '2020-01-01T05:00', to: '2020-01-01', interval: 'hour' as const }],
    [{ from: '2020-01-02T10:00', to: '2020-01-02T09:00', explicit: true }],
  ])('%j ends before it begins and is refused', (asked) => {
    expect(() => plan(asked)).toThrow(expect.objectContaining({ path: ['dateRange', 'date_to'] }))
    expect(() => plan(asked)).toThrow(/lies before date_from/)
  })

  test.each([
    [{ from: '2020-01-01', to: '2020-01-01' }],
    [{ from: '-1dStart', to: '-1dEnd' }],
    [{ from: '-1mStart', to: '-1mEnd' }],
    [{ from: 'all', to: '2010-01-01' }],
    [{ from: '2099-01-01' }],
    [{ to: '-30d' }],
  ])('%j is a range', (asked) => expect(plan(asked).from).toBeGreaterThan(0))

  test('nothing said is eight days with today', () => {
    const range = plan({})
    expect(range.buckets.map((start) => shown(start).slice(0, 10))).toEqual(
      ['17', '18', '19', '20', '21', '22', '23', '24'].map((day) => `2020-01-${day}`),
    )
    expect(shown(range.to)).toBe('2020-01-24T23:59:59')
  })

  test.each([
    [{ from: '-24h', interval: 'hour' }, 25],
    [{ from: '-1d', interval: 'hour' }, 38],
    [{ from: '-7d', interval: 'week' }, 2],
    [{ from: '-3m', interval: 'month' }, 4],
    [{ from: '-1y', interval: 'quarter' }, 5],
    [{ from: '-1h', interval: 'minute' }, 66],
    [{ from: '2020-01-01', to: '2020-01-03' }, 3],
  ] as const)('%o has %i buckets', (asked, count) => {
    expect(plan(asked).buckets).toHaveLength(count)
  })

  test('from is floored to its interval, but not when it is hours back or explicit', () => {
    expect(shown(plan({ from: '2020-01-15T10:00', interval: 'week' }).from)).toBe('2020-01-12T00:00:00')
    expect(shown(plan({ from: '-48h' }).from)).toBe('2020-01-22T13:00:00')
    const explicit = plan({ from: '2020-01-15T10:00', to: '2020-01-16T11:00', explicit: true })
    expect([shown(explicit.from), shown(explicit.to)]).toEqual(['2020-01-15T10:00:00', '2020-01-16T11:00:00'])
  })

  test('weeks start when the project says', () => {
    expect(shown(plan({ from: '-7d', interval: 'week' }, clockAt('2020-01-24T13:05:00', 'UTC', 1)).from)).toBe(
      '2020-01-13T00:00:00',
    )
  })

  test('all begins with the first event', () => {
    const clock = { ...clockAt('2020-01-24T13:05:00'), earliestEvent: utc('2020-01-20T10:00:00') }
    expect(plan({ from: 'all' }, clock).buckets).toHaveLength(5)
  })

  test.each([
    ['Europe/Berlin', '2024-03-31', 23],
    ['Europe/Berlin', '2024-10-27', 25],
    ['America/New_York', '2024-11-03', 25],
    ['Australia/Lord_Howe', '2024-06-01', 24],
    ['Asia/Kolkata', '2024-06-01', 24],
  ])('in %s the %s has %i hours', (zone, day, hours) => {
    const range = plan({ from: day, to: `${day}T23:00`, interval: 'hour' }, clockAt('2025-01-01T00:00:00', zone))
    expect(range.buckets).toHaveLength(hours)
  })

  test('days are days of the calendar, however long', () => {
    const range = plan({ from: '2024-03-30', to: '2024-04-01' }, clockAt('2025-01-01T00:00:00', 'Europe/Berlin'))
    expect(range.buckets.map((start) => shown(start, 'Europe/Berlin'))).toEqual([
      '2024-03-30T00:00:00',
      '2024-03-31T00:00:00',
      '2024-04-01T00:00:00',
    ])
    expect(range.to - range.from).toBe(71 * 3_600_000 - 1)
  })

  test('the second coming of an hour is part of now', () => {
    // 02:30 in Berlin for the second time.
    const range = plan({ from: '-1h', interval: 'hour' }, clockAt('2024-10-27T01:30:00', 'Europe/Berlin'))
    expect(range.to).toBeGreaterThanOrEqual(utc('2024-10-27T01:30:00'))
  })

  test('more buckets than anyone can read are refused', () => {
    expect(() => plan({ from: '2000-01-01', interval: 'minute' })).toThrow(InvalidQuery)
  })
})

describe('the period before', () => {
  const days = (range: DateRange) => [
    shown(range.buckets[0] ?? 0).slice(0, 10),
    shown(range.buckets.at(-1) ?? 0).slice(0, 10),
  ]
  const clock = clockAt('2020-01-24T13:05:00')
  test.each([
    [{ from: '-7d' }, '2020-01-10', '2020-01-17'],
    [{ from: '-14d' }, '2019-12-27', '2020-01-10'],
    [{ from: '-3d' }, '2020-01-17', '2020-01-20'],
    [{ from: '2020-01-20', to: '2020-01-22' }, '2020-01-17', '2020-01-19'],
    [{ from: '2020-01-01', to: '2020-01-31', interval: 'month' }, '2019-12-01', '2019-12-01'],
    [{ from: '2020-01-05', to: '2020-01-18', interval: 'week' }, '2019-12-22', '2019-12-29'],
  ] as const)('of %o', (asked, first, last) => {
    expect(days(previousRange(plan(asked), clock))).toEqual([first, last])
  })

  test('has as many buckets', () => {
    for (const interval of ['hour', 'day', 'week', 'month'] as const) {
      const range = plan({ from: '-30d', interval })
      expect(previousRange(range, clock).buckets).toHaveLength(range.buckets.length)
    }
  })

  test('is where compare_to says', () => {
    expect(days(previousRange(plan({ from: '-7d' }), clock, '-1w'))).toEqual(['2020-01-10', '2020-01-17'])
    expect(() => previousRange(plan({}), clock, 'last week')).toThrow('compare_to')
  })
})
