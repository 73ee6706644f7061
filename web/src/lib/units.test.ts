import { describe, expect, it } from 'vitest'
import { type Units, unitFormats } from './units.ts'

const full = (units: Units, value: number) => unitFormats(units).full(value)
const brief = (units: Units, value: number) => unitFormats(units).brief(value)

describe('numbers with units', () => {
  it('are as they were without any', () => {
    expect(full({}, 12_345.678)).toBe('12,345.68')
    expect(brief({}, 12_345.678)).toBe('12.3K')
  })

  it('are percentages of a hundred, or of one', () => {
    expect(full({ unit: 'percentage' }, 42.5)).toBe('42.5%')
    expect(full({ unit: 'percentage_scaled' }, 0.07)).toBe('7%')
    expect(full({ unit: 'percentage_scaled', decimals: 1 }, 0.4251)).toBe('42.5%')
  })

  it('are money, with cents where there are some', () => {
    expect(full({ unit: 'currency' }, 1200)).toBe('$1,200')
    expect(full({ unit: 'currency' }, -3.5)).toBe('−$3.50')
    expect(full({ prefix: '€' }, 12)).toBe('€12')
  })

  it('are durations, of seconds or milliseconds', () => {
    expect(full({ unit: 'duration' }, 90)).toBe('1m 30s')
    expect(full({ unit: 'duration_ms' }, 90_000)).toBe('1m 30s')
    expect(full({ unit: 'duration' }, 0)).toBe('0s')
  })

  it('have the decimals somebody chose, and what stands around them', () => {
    expect(full({ decimals: 2 }, 3)).toBe('3.00')
    expect(full({ decimals: 0 }, 3.6)).toBe('4')
    expect(full({ suffix: ' kg', decimals: 1 }, 3.25)).toBe('3.3 kg')
    expect(brief({ unit: 'short', prefix: '~' }, 12_345)).toBe('~12.3K')
  })
})
