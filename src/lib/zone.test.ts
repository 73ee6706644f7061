import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR } from './durations.ts'
import { addMonths, isTimeZone, toInstant, toLocal } from './zone.ts'

const utc = (text: string) => Date.parse(`${text}Z`)

describe('wall-clock time', () => {
  test.each([
    ['Europe/Berlin', '2024-01-15T12:00:00', '2024-01-15T13:00:00'],
    ['Europe/Berlin', '2024-07-15T12:00:00', '2024-07-15T14:00:00'],
    ['America/New_York', '2024-03-10T06:59:59', '2024-03-10T01:59:59'],
    ['America/New_York', '2024-03-10T07:00:00', '2024-03-10T03:00:00'],
    ['Asia/Kolkata', '2024-01-01T00:00:00', '2024-01-01T05:30:00'],
    ['Asia/Kathmandu', '2024-01-01T00:00:00', '2024-01-01T05:45:00'],
    ['Pacific/Kiritimati', '2024-01-01T10:00:00', '2024-01-02T00:00:00'],
  ])('in %s, %s UTC shows %s', (zone, instant, wall) => {
    expect(toLocal(utc(instant), zone)).toBe(utc(wall))
    expect(toInstant(utc(wall), zone)).toBe(utc(instant))
  })

  test('a time that comes twice is its first coming', () => {
    expect(toInstant(utc('2024-10-27T02:30:00'), 'Europe/Berlin')).toBe(utc('2024-10-27T00:30:00'))
    expect(toInstant(utc('2024-11-03T01:30:00'), 'America/New_York')).toBe(utc('2024-11-03T05:30:00'))
  })

  test('a time that is skipped is the moment of the change', () => {
    expect(toInstant(utc('2024-03-31T02:30:00'), 'Europe/Berlin')).toBe(utc('2024-03-31T01:00:00'))
    // Midnight itself is skipped: the day starts at one.
    expect(toInstant(utc('2018-11-04T00:00:00'), 'America/Sao_Paulo')).toBe(utc('2018-11-04T03:00:00'))
    expect(toInstant(utc('2024-03-31T00:00:00'), 'Asia/Beirut')).toBe(utc('2024-03-30T22:00:00'))
  })

  test('there and back again is the same moment, or its first coming', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia']
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 4e12 }), (zone, instant) => {
        const back = toInstant(toLocal(instant, zone), zone)
        expect(toLocal(back, zone)).toBe(toLocal(instant, zone))
        expect(instant - back === 0 || (instant - back > 0 && instant - back <= HOUR)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('months keep the day, or take the last there is', () => {
    expect(addMonths(utc('2024-03-31T10:00:00'), -1)).toBe(utc('2024-02-29T10:00:00'))
    expect(addMonths(utc('2024-01-31T00:00:00'), 13)).toBe(utc('2025-02-28T00:00:00'))
  })

  test('a zone that is none is recognised', () => {
    expect(isTimeZone('Europe/Berlin')).toBe(true)
    expect(isTimeZone('Mars/Olympus')).toBe(false)
  })
})
