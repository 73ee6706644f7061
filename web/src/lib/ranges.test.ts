import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDate as isDateOfService } from '../../../src/lib/parse-date.ts'
import {
  comparedWith,
  datesBetween,
  isDate,
  previousRange,
  RANGES,
  rangeDates,
  rangeLabel,
  rangeProblem,
} from './ranges.ts'
import { LAST_30_DAYS } from './usual-ranges.ts'

const NOW = Date.parse('2026-11-15T22:30:00Z')
const shown = (from: string, to?: string, zone = 'UTC') => [
  rangeLabel({ from, to }, zone, NOW),
  rangeDates({ from, to }, zone, NOW),
]

describe('a range', () => {
  it.each([
    ['dStart', undefined, 'Today', '15 Nov 2026'],
    ['-1dStart', '-1dEnd', 'Yesterday', '14 Nov 2026'],
    ['-6d', undefined, 'Last 7 days', '9 Nov – 15 Nov 2026'],
    ['-29d', undefined, 'Last 30 days', '17 Oct – 15 Nov 2026'],
    ['-30d', undefined, 'Last 31 days', '16 Oct – 15 Nov 2026'],
    ['-7d', undefined, 'Last 8 days', '8 Nov – 15 Nov 2026'],
    ['-24h', undefined, 'Last 24 hours', '14 Nov 2026, 22:00 – now'],
    ['mStart', undefined, 'This month', '1 Nov – 15 Nov 2026'],
    ['-1mStart', '-1mEnd', 'Last month', '1 Oct – 31 Oct 2026'],
    ['yStart', undefined, 'This year', '1 Jan – 15 Nov 2026'],
    ['-1y', undefined, '15 Nov 2025 – 15 Nov 2026', '15 Nov 2025 – 15 Nov 2026'],
    ['2026-01-05', '2026-01-05', '5 Jan 2026', '5 Jan 2026'],
    ['all', undefined, 'All time', null],
    ['garbage', undefined, 'garbage to now', null],
  ])('%s to %s is %s, %s', (from, to, label, dates) => expect(shown(from, to)).toEqual([label, dates]))

  it.each([
    ['garbage', undefined, 'from', 'The start "garbage" is not a date'],
    ['2026-02-30', undefined, 'from', '"2026-02-30" is not a date'],
    ['2026-02-01T25:00', undefined, 'from', 'is not a date'],
    ['-7d', 'later', 'to', 'The end "later" is not a date'],
    ['-7d', '-14d', 'to', 'The end, 1 Nov 2026, lies before the start, 8 Nov 2026.'],
    ['2026-11-15T12:00', '2026-11-15T11:00', 'to', 'lies before'],
    ['', '2026-11-15', 'from', 'an end but no start'],
  ])('%s to %s is refused', (from, to, field, words) => {
    const problem = rangeProblem({ from, to }, 'UTC', NOW)
    expect(problem?.field).toBe(field)
    expect(problem?.text).toContain(words)
  })

  it.each<[string, string | undefined]>([
    ...RANGES.map(({ from, to }): [string, string | undefined] => [from, to]),
    ['2026-11-15', '2026-11-15'],
    ['2026-11-15T12:00', '2026-11-15'],
    ['2026-11-15T12:00:00.5Z', undefined],
    ['-3h', '-1h'],
    ['', undefined],
  ])('%s to %s is none', (from, to) => expect(rangeProblem({ from, to }, 'UTC', NOW)).toBeNull())

  it('is a date to the page where it is one to the service', () => {
    const unit = fc.constantFrom('h', 'd', 'w', 'm', 'M', 's', 'q', 'y', 'x')
    const relative = fc
      .tuple(fc.constantFrom('-', '', '+'), fc.nat(999), unit, fc.constantFrom('', 'Start', 'End'))
      .map((parts) => parts.join(''))
    const part = fc.nat(40).map((value) => String(value).padStart(2, '0'))
    const absolute = fc
      .tuple(
        fc.integer({ min: 1970, max: 2040 }),
        part,
        part,
        fc.option(fc.tuple(part, part, fc.constantFrom('', 'Z'))),
      )
      .map(([year, month, day, time]) => `${year}-${month}-${day}${time ? `T${time[0]}:${time[1]}${time[2]}` : ''}`)
    fc.assert(fc.property(fc.oneof(relative, absolute, fc.string()), (text) => isDate(text) === isDateOfService(text)))
  })

  it('ends with the day of the project, not of UTC', () => {
    expect(shown('-6d', undefined, 'Asia/Tokyo')).toEqual(['Last 7 days', '10 Nov – 16 Nov 2026'])
  })

  it('named after so many days covers so many', () => {
    for (const { from, label } of RANGES) {
      const days = /^Last (\d+) days$/.exec(label)?.[1]
      if (days) expect(from).toBe(`-${Number(days) - 1}d`)
    }
    expect(LAST_30_DAYS).toBe('-29d')
  })

  it('before one with a length has the same length in its name', () => {
    expect(previousRange({ from: '-29d' })).toBe('previous 30 days')
    expect(previousRange({ from: '-1mStart', to: '-1mEnd' })).toBe('previous month')
    expect(previousRange({ from: 'yStart' })).toBe('previous period')
  })

  it('of an answer is told by its days', () => {
    expect(datesBetween('2026-10-12T00:00:00Z', '2026-11-15T23:59:59Z', 'UTC')).toBe('12 Oct – 15 Nov 2026')
  })
})

it('what a range is compared with is called by how far back it lies', () => {
  expect(comparedWith({ from: '-29d' }, undefined)).toBe('previous 30 days')
  expect(comparedWith({ from: '-29d' }, '-1w')).toBe('1 week earlier')
  expect(comparedWith({ from: '-29d' }, '-3m')).toBe('3 months earlier')
})
