import { describe, expect, it } from 'vitest'
import { compare, normalCdf, sampleRatioP, sampleSizeFor } from './statistics.ts'

const conversions = (count: number, sum: number) => ({ count, sum, sumOfSquares: sum })

describe('the statistics of experiments', () => {
  it('know a clear winner, in both ways of counting', () => {
    const result = compare('funnel', conversions(1000, 100), conversions(1000, 150))
    expect(result.chanceToWin).toBeGreaterThan(0.999)
    expect(result.credibleInterval?.[0]).toBeGreaterThan(0.1)
    expect(result.credibleInterval?.[1]).toBeLessThan(1)
    // z = 3.381, by hand.
    expect(result.pValue).toBeCloseTo(0.00072, 5)
    // 0.5 less 1.96 times the root of 0.1275 / 10 + 2.25 * 0.09 / 10.
    expect(result.confidenceInterval?.[0]).toBeCloseTo(0.144, 3)
  })

  it('know no winner where there is none, and say the same each time', () => {
    const [one, other] = [conversions(500, 50), conversions(500, 52)]
    const result = compare('funnel', one, other)
    expect(result.chanceToWin).toBeGreaterThan(0.45)
    expect(result.chanceToWin).toBeLessThan(0.7)
    expect(result.pValue).toBeGreaterThan(0.5)
    expect(result.credibleInterval?.[0]).toBeLessThan(0)
    expect(compare('funnel', one, other)).toEqual(result)
  })

  it('compare means by their spread', () => {
    const values = (list: number[]) => ({
      count: list.length,
      sum: list.reduce((a, b) => a + b, 0),
      sumOfSquares: list.reduce((a, b) => a + b * b, 0),
    })
    const low = values(Array.from({ length: 200 }, (_, at) => at % 10))
    const high = values(Array.from({ length: 200 }, (_, at) => (at % 10) + 2))
    const result = compare('mean', low, high)
    expect(result.chanceToWin).toBeGreaterThan(0.99)
    expect(result.pValue).toBeLessThan(0.001)
    expect((result.confidenceInterval?.[0] ?? 0) + (result.confidenceInterval?.[1] ?? 0)).toBeCloseTo(2 * (2 / 4.5), 5)
  })

  it('say nothing of nobody', () => {
    expect(compare('funnel', conversions(0, 0), conversions(0, 0))).toEqual({
      chanceToWin: 0.5,
      credibleInterval: null,
      pValue: null,
      confidenceInterval: null,
    })
    expect(sampleRatioP([0, 0], [50, 50])).toBeNull()
    expect(sampleSizeFor(0, 0.1)).toBeNull()
  })

  it('notice that variants are not as large as they should be', () => {
    expect(normalCdf(1.96)).toBeCloseTo(0.975, 4)
    // The square of a normal variable with z = 2 and z = 1.
    expect(sampleRatioP([550, 450], [50, 50])).toBeCloseTo(0.001_565, 5)
    expect(sampleRatioP([500, 500], [50, 50])).toBeCloseTo(1, 6)
    expect(sampleRatioP([510, 490], [50, 50])).toBeGreaterThan(0.5)
    expect(sampleRatioP([400, 300, 300], [40, 30, 30])).toBeCloseTo(1, 6)
  })

  it('ask for so many people before the start', () => {
    // 10%, to notice a change by a tenth of it.
    expect(sampleSizeFor(0.1, 0.1)).toBeGreaterThan(14_000)
    expect(sampleSizeFor(0.1, 0.1)).toBeLessThan(14_500)
    expect(sampleSizeFor(0.1, 0.5)).toBeLessThan(600)
  })
})
