import { describe, expect, it } from 'vitest'
import { ago, bytes, clock, duration, number, percent, short } from './format.ts'

describe('numbers', () => {
  it.each([
    [0, '0'],
    [1234567, '1,234,567'],
    [-1234.5678, '-1,234.57'],
    [0.1 + 0.2, '0.3'],
    [0.000123, '0.00012'],
    [-0.004, '-0.004'],
    [Number.NaN, '–'],
    [null, '–'],
  ])('%s is written %s', (value, text) => {
    expect(number(value)).toBe(text)
  })

  it('are short on an axis, and exact while they are small', () => {
    expect([9_999, 12_345, -1_250_000].map(short)).toEqual(['9,999', '12.3K', '-1.3M'])
  })

  it('shares have one decimal, all and nothing none', () => {
    expect([0, 0.4166, 1, Number.NaN].map((share) => percent(share))).toEqual(['0%', '41.7%', '100%', '–'])
  })

  it('times and sizes are in the unit one would say', () => {
    expect([0.043, 59, 60, 3_661, 90_000].map(duration)).toEqual(['43 ms', '59s', '1m', '1h 1m', '1d 1h'])
    expect([5, 65, 3_723].map(clock)).toEqual(['0:05', '1:05', '1:02:03'])
    expect([0, 999, 75_973_000_000].map(bytes)).toEqual(['0 bytes', '999 bytes', '76 GB'])
    expect(ago(0, 90_000)).toBe('1 min ago')
  })
})
